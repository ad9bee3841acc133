# Writes the code of one file's documentation comments as one Swift file, for scripts/check-snippets.sh.
#
# Code is what is indented by four behind an empty line of a comment, or fenced as swift. No code are a marble diagram (a line of it is a
# label and then time, as in `source: --1--|`), a drawing, and what is fenced as text.
# Each block is a method of a type that is called as the file, `Using_swift`, whose extensions declare what a reader does not see; one with
# an attribute is a member itself, one with an extension is at file scope. The type is a class where `self` is handed over.
# `#sourceLocation` makes the compiler name the file and its line. What a block's statements make is handed to `examined`.
# Where `count` is set, it prints only how many blocks there are; where `calls` is set, a call of `ran` for each method.

# The name of what the statement in line `i` makes; an expression gets one.
function made(i) {
    if (match(text[i], /^let [a-zA-Z]+/)) return substr(text[i], 5, RLENGTH - 4)
    if (text[i] !~ /^[A-Za-z]/ || text[i] ~ /^[A-Za-z.]+ [-+*\/]?= / || text[i] ~ statement) return ""
    text[i] = "let example" i " = " text[i]
    return "example" i
}

function finish(    i, code, name_of, names) {
    while (lines && text[lines] == "") lines--
    if (lines && !drawn) {
        code = names = ""
        for (i = 1; i <= lines; i++) {
            name_of = extends ? "" : made(i)
            if (name_of) names = names (names ? ", " : "") name_of
            code = code text[i] "\n"
        }
        if (names && text[1] !~ /^@/) code = code "try await examined(" names ")\n"
        code = "#sourceLocation(file: \"" FILENAME "\", line: " first ")\n" code "#sourceLocation()"
        if (text[1] ~ /^@/) code = "extension " name " {\n" code "\n}"
        else if (!extends) code = "extension " name " { func snippet" first "() async throws {\n" code "\n} }"
        if (code ~ /[( ]self[,)]/) kind = "final class"
        if (calls && text[1] !~ /^@/ && !extends)
            print "await ran(\"" FILENAME ":" first "\") { try await " name "().snippet" first "() }"
        if (!count && !calls) print code
        blocks++
    }
    lines = drawn = extends = 0
}

BEGIN {
    statement = "^(actor|assert|case|class|defer|do|enum|extension|final|for|func|guard|if|import|private|protocol|repeat|return|struct|switch|var|while)[^A-Za-z]"
}
FNR == 1 {
    kind = "struct"
    name = FILENAME
    sub(/.*\//, "", name)
    gsub(/[^A-Za-z0-9]/, "_", name)
}
!/^ *\/\/\// { finish(); empty = 1; fence = ""; next }
{
    line = $0
    sub(/^ *\/\/\/ ?/, "", line)
}
line ~ /^ *```/ {
    finish()
    if (fence) { fence = ""; next }
    fence = line
    indent = index(line, "`")
    next
}
fence && fence !~ /swift/ { next }
fence || (line ~ /^    / && (empty || lines)) {
    if (!lines) first = FNR
    text[++lines] = substr(line, fence ? indent : 5)
    if (line ~ /►|: +(\||#$|\([0-9a-z]\||[-^]*-)|^ *[a-z]+: +[-^]/) drawn = 1
    if (line ~ /^ *extension /) extends = 1
    next
}
line ~ /^ *$/ { if (lines) text[++lines] = ""; empty = 1; next }
{ finish(); empty = 0 }
END {
    finish()
    if (count) print blocks + 0
    else if (blocks && !calls) print kind " " name ": Sendable {}"
}
