# Writes the code of one file's documentation comments as one Swift file, for scripts/check-snippets.sh.
#
# Code is a block that follows an empty comment line and is indented by four spaces, or is fenced as swift. Marble
# diagrams (lines of a label and a timeline, as in `source: --1--|`), drawings and blocks fenced as text are skipped.
# Each block becomes a method of a type that is named after the file, as in `Using_swift`. Extensions of the type
# declare names that the reader does not see. A block with an attribute becomes a member, one with an extension goes to
# file scope. If the code passes `self`, the type is a class. `#sourceLocation` makes the compiler report the original
# file and line. The results of a block's statements are passed to `examined`. If `count` is set, only the number of
# blocks is printed; if `calls` is set, a call of `ran` for each method. Needs scripts/lib/statements.awk.

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
