# Writes the code of one file's documentation comments as one Swift file, for scripts/check-snippets.sh.
#
# Code is what is indented by four behind an empty line of a comment, or fenced as swift. No code are a marble diagram (a line of it is a
# label and then time, as in `source: --1--|`), a drawing, and what is fenced as text.
# Each block is a method of a type that is called as the file, `Using_swift`, whose extensions declare what a reader does not see; one with
# an attribute is a member itself, one with an extension is at file scope. The type is a class where `self` is handed over. `#sourceLocation` makes the compiler name the file and its line.
# Where `count` is set, it prints only how many blocks there are.

function finish(    i, code) {
    while (lines && text[lines] == "") lines--
    if (lines && !drawn) {
        code = ""
        for (i = 1; i <= lines; i++) code = code text[i] "\n"
        code = "#sourceLocation(file: \"" FILENAME "\", line: " first ")\n" code "#sourceLocation()"
        if (text[1] ~ /^@/) code = "extension " name " {\n" code "\n}"
        else if (!extends) code = "extension " name " { func snippet" first "() async throws {\n" code "\n} }"
        if (code ~ /[( ]self[,)]/) kind = "final class"
        if (!count) print code
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
    else if (blocks) print kind " " name ": Sendable {}"
}
