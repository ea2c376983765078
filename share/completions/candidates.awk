# What can stand next on a command line of dsgd. Nothing of it is written here: the program's --help tells the options
# and what they take, NAME=help the values.
#   awk -f candidates.awk -- PROGRAM [WORD]... CURRENT
# A line each: "=WORD<TAB>what it is" is whole, "+WORD<TAB>..." goes on without a space; "@files PREFIX" and
# "@commands PREFIX" stand for what the shell knows, behind PREFIX. All begin as CURRENT does.

BEGIN {
    program = ARGV[1]
    current = ARGV[ARGC - 1]
    read_help()
    for (i = 2; i < ARGC - 1; i++)
        pass(ARGV[i])
    if (waiting)
        value(waiting, "", current)
    else if (!ended && match(current, /^--[^=]+=/))
        value(long_option(substr(current, 3, RLENGTH - 3)), substr(current, 1, RLENGTH), substr(current, RLENGTH + 1))
    else if (!ended && current ~ /^-[A-Za-z0-9]/)
        cluster(current)
    else if (!ended && current ~ /^-/)
        option_names()
    else
        operand()
    exit 0
}

function quoted(text) {
    gsub(/'/, "'\\''", text)
    return "'" text "'"
}

# The lines that the program prints for these arguments, in lines[1..].
function ask(arguments,    command, n) {
    command = quoted(program) " " arguments " < /dev/null 2> /dev/null"
    while ((command | getline lines[n + 1]) > 0)
        n++
    close(command)
    return n
}

# Rows of --help: names, letters, arguments (empty: none) and texts, 1..options; and the operands.
function read_help(    n, i, line) {
    n = ask("--help")
    for (i = 1; i <= n; i++) {
        line = lines[i]
        if (i == 1)
            synopsis = line
        else if (line ~ /^  (-[A-Za-z0-9], |    )--/)
            add_option(line)
        else if (options && line ~ /^                              [^ ]/)
            texts[options] = texts[options] substr(line, 30)
    }
    sub(/^[^ ]* [^ ]* /, "", synopsis)
    gsub(/\[(-|OPTION)[^]]*\](\.\.\.)?/, "", synopsis)
    gsub(/-[A-Za-z] [A-Z]+/, "", synopsis)
}

function add_option(line,    at) {
    options++
    letters[options] = substr(line, 3, 1) == "-" ? substr(line, 4, 1) : ""
    line = substr(line, 9)
    at = match(line, / |$/)
    texts[options] = substr(line, RSTART)
    line = substr(line, 1, at - 1)
    at = index(line, "=")
    names[options] = at ? substr(line, 1, at - 1) : line
    arguments[options] = at ? substr(line, at + 1) : ""
}

# The option of that name, or the only one that begins so; 0: none.
function long_option(name,    i, found, n) {
    for (i = 1; i <= options; i++) {
        if (names[i] == name)
            return i
        if (index(names[i], name) == 1) {
            found = i
            n++
        }
    }
    return n == 1 ? found : 0
}

function letter_option(letter,    i) {
    for (i = 1; i <= options; i++)
        if (letters[i] == letter)
            return i
    return 0
}

# Where the value starts in a word of letters like -qp: behind the first that takes one, which is put into `taker`.
function value_start(word,    i) {
    for (i = 2; i <= length(word); i++) {
        taker = letter_option(substr(word, i, 1))
        if (taker && arguments[taker] != "")
            return i + 1
    }
    taker = 0
    return 0
}

# A word before the current one.
function pass(word,    i, start) {
    if (waiting)
        waiting = 0
    else if (ended || word !~ /^-./)
        operands[++operand_count] = word
    else if (word == "--")
        ended = 1
    else if (word ~ /^--[^=]*$/) {
        i = long_option(substr(word, 3))
        waiting = arguments[i] != "" ? i : 0
    } else if (word !~ /^--/) {
        start = value_start(word)
        waiting = start > length(word) ? taker : 0
    }
}

# Prints a candidate when it begins as the current word does.
function offer(how, word, what) {
    sub(/^ +/, "", what)
    if (index(word, current) == 1)
        print how word "\t" what
}

function option_names(    i) {
    for (i = 1; i <= options; i++)
        offer(arguments[i] != "" ? "+" : "=", "--" names[i] (arguments[i] != "" ? "=" : ""), texts[i])
}

function cluster(word,    start, i) {
    start = value_start(word)
    if (taker)
        value(taker, substr(word, 1, start - 1), substr(word, start))
    else if ((i = letter_option(substr(word, length(word)))))
        offer("=", word, texts[i])
}

# What may stand for `text`, the value so far, of option i, behind `prefix`.
function value(i, prefix, text,    argument, at) {
    argument = arguments[i]
    if (argument == "")
        return
    if (argument ~ /,\.\.\.$/ && match(text, /^.*,/)) {
        prefix = prefix substr(text, 1, RLENGTH)
        text = substr(text, RLENGTH + 1)
    }
    if (argument ~ /\[RANGE=\]/ && match(text, /^[0-9][0-9,-]*=/)) {
        prefix = prefix substr(text, 1, RLENGTH)
        text = substr(text, RLENGTH + 1)
    }
    if (texts[i] ~ /'help'/)
        spec("--" names[i] "=help", prefix, text)
    words(texts[i], prefix)
    addresses(texts[i], prefix, text)
    if (argument ~ /^[a-z]+$/)
        offer("=", prefix argument, texts[i])
    if (argument ~ /@FILE/ && text ~ /^@/)
        print "@files " prefix "@"
    else if (takes_file(i) && !(texts[i] ~ /'help'/ && text ~ /:/))
        print "@files " prefix
    if (argument ~ /@FILE/ && text == "")
        offer("+", prefix "@", "a file that holds it")
    if (argument == "COMMAND")
        print "@commands " prefix
}

function takes_file(i) {
    return arguments[i] ~ /(^|[^@])FILE|SHARD|TRACE|PATTERN/ || texts[i] ~ /'s FILE/
}

# Words in quotes that the help of an option names.
function words(help, prefix,    word) {
    while (match(help, /'[a-z][a-z-]*'/)) {
        word = substr(help, RSTART + 1, RLENGTH - 2)
        help = substr(help, RSTART + RLENGTH)
        offer("=", prefix word, word == "help" ? "what there is" : "")
    }
}

# unix:PATH and its like, where the help of an option names them.
function addresses(help, prefix, text,    scheme, path) {
    while (match(help, /[a-z]+:[A-Z]+/)) {
        scheme = substr(help, RSTART, RLENGTH)
        help = substr(help, RSTART + RLENGTH)
        path = scheme ~ /:PATH$/
        sub(/:.*/, ":", scheme)
        if (path && index(text, scheme) == 1)
            print "@files " prefix scheme
        else if (text != scheme)
            offer("+", prefix scheme, "")
    }
}

# A NAME[:ITEM,...] of the table that the program prints for these arguments.
function spec(arguments, prefix, text,    n, i, name, colon, items) {
    n = ask(arguments)
    colon = index(text, ":")
    name = colon ? substr(text, 1, colon - 1) : ""
    items = substr(text, colon + 1)
    for (i = 1; i <= n; i++) {
        if (lines[i] !~ /^[a-z0-9]/)
            continue
        if (colon && first(lines[i]) == name)
            parameters(i, n, prefix name ":", items)
        else if (!colon && needs_value(i, n))
            offer("+", prefix first(lines[i]) ":", rest(lines[i]))
        else if (!colon)
            offer("=", prefix first(lines[i]), rest(lines[i]))
    }
}

function first(line) {
    sub(/^ +/, "", line)
    sub(/ .*/, "", line)
    return line
}

function rest(line) {
    sub(/^ */, "", line)
    sub(/^[^ ]+ */, "", line)
    return line
}

# Whether the row in lines[i] has a parameter without a default.
function needs_value(i, n) {
    for (i++; i <= n && lines[i] ~ /^ /; i++)
        if (lines[i] ~ /\(required\)$/)
            return 1
    return 0
}

# The keys of the row in lines[i] that the items have not given yet; a file where its first parameter is one.
function parameters(i, n, prefix, items,    done, key, values) {
    if (first(lines[i + 1]) ~ /^(file|path)$/) {
        print "@files " prefix
        return
    }
    done = match(items, /^.*,/) ? substr(items, 1, RLENGTH) : ""
    values = plain_values(done)
    for (i++; i <= n && lines[i] ~ /^ /; i++) {
        key = first(lines[i]) "="
        if (values-- <= 0 && index("," done, "," key) == 0)
            offer("+", prefix done key, rest(lines[i]))
    }
}

# How many of the items are values without a key: they are the first parameters.
function plain_values(items,    v, n, i, count) {
    n = split(items, v, ",")
    for (i = 1; i < n; i++)
        count += v[i] !~ /=/
    return count
}

# A word that belongs to no option.
function operand() {
    if (synopsis !~ /[A-Z]/)
        option_names()
    else if (synopsis ~ /^ *VERB/ && operand_count == 0)
        spec("help", "", current)
    else if (synopsis ~ /^ *VERB/ && operand_count == 1 && takes_spec(operands[1]))
        spec(quoted(operands[1]) " help", "", current)
    else
        print "@files "
}

# Whether the program's list of verbs says SPEC of this one.
function takes_spec(verb,    n, i) {
    n = ask("help")
    for (i = 1; i <= n; i++)
        if (first(lines[i]) == verb)
            return lines[i] ~ / SPEC/
    return 0
}
