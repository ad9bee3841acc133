# Writes the ```swift blocks of one page as one Swift file, for scripts/check-snippets.sh.
#
# Types, extensions, functions and imports go to file scope, so that later blocks see them. The rest of a block goes
# into an asynchronous, throwing function of the main actor, because main.swift belongs to it. `#sourceLocation` makes
# the compiler report the page and line. Blocks of a manifest (`.package(` or `Package(`) are skipped. If `examine` is
# set, the results of a block's statements are passed to `examined`. If `count` is set, only the number of blocks is
# printed. Needs scripts/lib/statements.awk.

function quoted(line) { return "#sourceLocation(file: \"" FILENAME "\", line: " line ")" }

# Whether the line, which is not indented, starts a declaration that belongs at file scope.
function declares(text) {
    return text ~ /^(@[A-Za-z]+(\([^)]*\))? )*((public|private|final|indirect|package) )*(class|struct|enum|actor|protocol|extension|typealias|func|import) / \
        || text ~ /^@[A-Za-z]+(\([^)]*\))?$/
}

# Returns the number of unclosed brackets in the line. Brackets in strings are counted.
function open_brackets(text,    opened, closed) {
    sub(/[ ]\/\/.*/, "", text)
    opened = gsub(/[[{(]/, "", text)
    closed = gsub(/[]})]/, "", text)
    return opened - closed
}

function finish(    i, depth, outside, statements, name, names) {
    outside = quoted(first) "\n"
    statements = names = ""
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
            # An attribute on a line of its own belongs to the next line.
            if (depth <= 0 && text[i] !~ /^@[A-Za-z]+(\([^)]*\))?$/) inside = 0
            statements = statements "\n"
        } else {
            name = examine ? made(i) : ""
            if (name) names = names (names ? ", " : "") name
            statements = statements text[i] "\n"
        }
    }
    inside = 0
    if (names) statements = statements "try await examined(" names ")\n"
    print outside "@MainActor func snippet" first "() async throws {\n" quoted(first) "\n" statements "}\n#sourceLocation()"
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
