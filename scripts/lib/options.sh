# Sourced by the other scripts: --help and unknown options.

help_of() {
    awk 'NR > 1 { if (!sub(/^# ?/, "")) exit; print }' "$1"
}

# refuse SCRIPT WHY: exits with status 2.
refuse() {
    echo "$1: $2" >&2
    exit 2
}

# no_options SCRIPT ARGUMENT...: for a script whose only option is --help.
no_options() {
    [ $# -gt 1 ] || return 0
    case $2 in
    -h | --help) help_of "$1" && exit 0 ;;
    *) refuse "$1" "unknown argument '$2': the script takes no options" ;;
    esac
}

# options_in FILE...: prints, for each option that a Swift program declares, a line with its name, a tab, its help and
# its default.
options_in() {
    awk '
        match($0, /@(Option|Flag)\(/) { declares = 1; help = "" }
        declares && help == "" && match($0, /"[^"]*"/) { help = substr($0, RSTART + 1, RLENGTH - 2) }
        declares && match($0, /var [A-Za-z]+/) {
            name = substr($0, RSTART + 4, RLENGTH - 4)
            while (match(name, /[A-Z]/)) name = substr(name, 1, RSTART - 1) "-" tolower(substr(name, RSTART, 1)) substr(name, RSTART + 1)
            if (match($0, /= ("[^"]+"|[0-9._]+)$/)) help = help " (default: " substr($0, RSTART + 2) ")"
            print "--" name "\t" help
            declares = 0
        }' "$@"
}

# program_options SCRIPT FILE ARGUMENT...: handles --help and rejects options that the program's FILE does not declare,
# before a build. The program checks the values.
program_options() {
    local script=$1 argument known
    known=$(options_in "$2")
    shift 2
    for argument in "$@"; do
        case $argument in
        -h | --help)
            help_of "$script"
            echo
            awk -F '\t' '{ printf "  %-16s%s\n", $1, $2 }' <<<"$known"
            exit 0
            ;;
        -[0-9]*) ;;
        -*) grep -q -- "^${argument%%=*}"$'\t' <<<"$known" || refuse "$script" "there is no option '${argument%%=*}'" ;;
        esac
    done
}
