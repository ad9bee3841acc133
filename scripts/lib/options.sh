# Sourced by the scripts beside this folder: what they say to --help, and to what they do not take.

# help_of SCRIPT: the comment at its top.
help_of() {
    awk 'NR > 1 { if (!sub(/^# ?/, "")) exit; print }' "$1"
}

# refuse SCRIPT WHY: one line on standard error, and status 2.
refuse() {
    echo "$1: $2" >&2
    exit 2
}

# no_options SCRIPT ARGUMENT...: for a script that takes nothing but --help.
no_options() {
    [ $# -gt 1 ] || return 0
    case $2 in
    -h | --help) help_of "$1" && exit 0 ;;
    *) refuse "$1" "takes no options, not '$2'" ;;
    esac
}
