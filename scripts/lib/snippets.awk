# Writes the ```swift blocks of one page as one Swift file, for scripts/check-snippets.sh.
#
# Types, extensions, functions and imports go where they are at file scope, so that later blocks see them; all else of a block goes into
# an asynchronous, throwing function of its own. `#sourceLocation` makes the compiler name the page and its line. A block of a package's
# manifest (`.package(` or `Package(`) is left out.
# Where `count` is set, it prints only how many blocks there are.

function quoted(line) { return "#sourceLocation(file: \"" FILENAME "\", line: " line ")" }

# What opens a declaration that belongs at file scope, where it stands at the beginning of a line.
function declares(text) {
    return text ~ /^(@[A-Za-z]+(\([^)]*\))? )*((public|private|final|indirect|package) )*(class|struct|enum|actor|protocol|extension|typealias|func|import) / \
        || text ~ /^@[A-Za-z]+(\([^)]*\))?$/
}

# How many brackets of the line are still open. Strings with a bracket alone are not looked for.
function open_brackets(text,    opened, closed) {
    sub(/[ ]\/\/.*/, "", text)
    opened = gsub(/[[{(]/, "", text)
    closed = gsub(/[]})]/, "", text)
    return opened - closed
}

function finish(    i, depth, outside, statements) {
    outside = quoted(first) "\n"
    statements = ""
    depth = 0
    for (i = 1; i <= lines; i++) {
        if (!inside && declares(text[i])) {
            outside = outside quoted(first + i - 1) "\n"
            inside = 1
            depth = 0
        }
        if (inside) {
            outside = outside text[i] "\n"
            depth += open_brackets(text[i])
            # An attribute on a line of its own belongs to what follows.
            if (depth <= 0 && text[i] !~ /^@[A-Za-z]+(\([^)]*\))?$/) inside = 0
            statements = statements "\n"
        } else {
            statements = statements text[i] "\n"
        }
    }
    inside = 0
    print outside "func snippet" first "() async throws {\n" quoted(first) "\n" statements "}\n#sourceLocation()"
}

# The blocks of a list are indented.
/^ *```/ && !block {
    block = $0 ~ /```swift *$/ ? 1 : 2
    indent = index($0, "`") - 1
    first = FNR + 1
    lines = 0
    manifest = 0
    next
}
/^ *``` *$/ {
    if (block == 1 && !manifest) {
        blocks++
        if (!count) finish()
    }
    block = 0
    next
}
block == 1 {
    text[++lines] = substr($0, 1, indent) ~ /^ *$/ ? substr($0, indent + 1) : $0
    if ($0 ~ /\.package\(|Package\(/) manifest = 1
}
END {
    if (block) {
        print FILENAME ":" first - 1 ": error: this block has no end" >"/dev/stderr"
        exit 1
    }
    if (count) print blocks + 0
}
