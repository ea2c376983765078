# Completion of a dsgd program in fish: the one whose name this file bears. candidates.awk asks it what there is.

function __dsgd_candidates
    set -l current (commandline -ct)
    for line in (awk -f '@completionsdir@/candidates.awk' -- (commandline -opc) "$current" 2> /dev/null)
        set -l prefix (string replace -r '^@\w+ ' '' -- $line)
        set -l rest (string sub -s (math 1 + (string length -- "$prefix")) -- "$current")
        switch $line
            case '@files *'
                printf '%s\n' $prefix(__fish_complete_path "$rest")
            case '@commands *'
                printf '%s\n' $prefix(complete -C "$rest")
            case '*'
                string sub -s 2 -- $line
        end
    end
end

complete -c (status basename | string replace -r '\.fish$' '') -k -f -a '(__dsgd_candidates)'
