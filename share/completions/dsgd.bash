# Completion of dsgd's command lines in bash; candidates.awk asks the programs what there is.

# The words up to the cursor, as the shell would take them: readline cuts them at = and : too.
_dsgd_words() {
    local line=${COMP_LINE:0:COMP_POINT} trimmed i
    words=()
    for ((i = 0; i <= COMP_CWORD; i++)); do
        trimmed=${line#"${line%%[![:space:]]*}"}
        if [[ $i = 0 || $trimmed != "$line" || -z $line ]]; then
            words+=('')
        fi
        ((i < COMP_CWORD)) || COMP_WORDS[i]=$trimmed
        words[${#words[@]} - 1]+=${COMP_WORDS[i]}
        line=${trimmed#"${COMP_WORDS[i]}"}
    done
}

# What readline does not replace of the current word: up to the last of the characters at which it cuts.
_dsgd_kept() {
    local breaks='' character
    for character in : = @; do
        [[ $COMP_WORDBREAKS != *"$character"* ]] || breaks+=$character
    done
    kept=
    [[ -z $breaks || $1 != *[$breaks]* ]] || kept=${1%"${1##*["$breaks"]}"}
}

_dsgd() {
    local words kept kind text prefix current more=0 files=0 plain=0
    _dsgd_words
    current=${words[${#words[@]} - 1]}
    [[ ${words[0]} != \~/* ]] || words[0]=$HOME/${words[0]#\~/}
    _dsgd_kept "$current"
    COMPREPLY=()
    while IFS=$'\t' read -r text _; do
        kind=${text:0:1}
        prefix=${text#* }
        case $text in
        @files*)
            files=1
            mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -P "$prefix" -f -- "${current#"$prefix"}")
            ;;
        @commands*) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -P "$prefix" -c -- "${current#"$prefix"}") ;;
        *)
            plain=1
            [[ $kind != + ]] || more=1
            COMPREPLY+=("${text:1}")
            ;;
        esac
    done < <(awk -f '@completionsdir@/candidates.awk' -- "${words[@]}" 2> /dev/null)
    [[ -z $kept ]] || COMPREPLY=("${COMPREPLY[@]#"$kept"}")
    [[ $more -eq 0 ]] || compopt -o nospace
    [[ $files -eq 0 || $plain -eq 1 ]] || compopt -o filenames
}

# For all programs, also the one that is not in PATH whose name this file bears where bash-completion looks for it.
_dsgd_register() {
    local name
    for name in $(compgen -c dsgd-) "${BASH_SOURCE[0]##*/}"; do
        [[ $name != dsgd-* || $name == *.* ]] || complete -F _dsgd "$name"
    done
}
_dsgd_register
