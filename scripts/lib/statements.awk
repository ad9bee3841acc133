# For scripts/lib/snippets.awk and comments.awk: finds the values that the statements of a block make. The array `text`
# has the lines of the block.

BEGIN {
    statement = "^(actor|assert|case|class|defer|do|enum|extension|final|for|func|guard|if|import|private|protocol|repeat|return|struct|switch|var|while)[^A-Za-z]"
}

# Returns the name of the value that the statement in line `i` makes; an expression is given a name.
function made(i) {
    if (text[i] ~ /= (Mutex|Atomic)[(<]/) return ""  # cannot be copied
    if (text[i] ~ /= UnicastSubject</) return ""  # its only observer is in the block
    if (match(text[i], /^let [a-zA-Z]+/)) return substr(text[i], 5, RLENGTH - 4)
    if (text[i] !~ /^[A-Za-z]/ || text[i] ~ /^[A-Za-z.]+ [-+*\/]?= / || text[i] ~ statement) return ""
    text[i] = "let example" i " = " text[i]
    return "example" i
}
