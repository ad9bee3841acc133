#!/usr/bin/env bash
# Copies the service of Examples/quickstart into a new folder under a new name. The copy uses this checkout by path.
#
#   scripts/new-service.sh NAME FOLDER
#
#   NAME     the service's name: lower-case letters, digits and single hyphens, such as parcel-tracking
#   FOLDER   the new folder; it may exist if it is empty
#
# Exit status 2: a wrong argument; nothing is written.
set -uo pipefail
me=scripts/new-service.sh
start=$PWD
cd "$(dirname "$0")/.." || exit
. scripts/lib/options.sh

case ${1-} in
-h | --help) help_of $me && exit 0 ;;
-*) refuse $me "there is no option '$1'; see --help" ;;
esac
[ $# = 2 ] || refuse $me "takes NAME and FOLDER, got $# arguments; see --help"
name=$1 folder=$2
[[ $name =~ ^[a-z][a-z0-9]*(-[a-z0-9]+)*$ ]] ||
    refuse $me "'$name' is not a name of lower-case letters, digits and single hyphens that starts with a letter"
[ ${#name} -le 40 ] || refuse $me "'$name' has ${#name} characters, at most 40 are allowed"
# A module gets this name, so it must be no keyword of Swift.
case $name in
as | break | case | catch | class | continue | default | defer | do | else | enum | extension | fallthrough | false | for | \
    func | guard | if | import | in | init | inout | internal | is | let | main | nil | operator | private | protocol | public | \
    repeat | rethrows | return | self | static | struct | subscript | super | switch | test | throw | throws | true | try | \
    typealias | var | where | while)
    refuse $me "'$name' is a word of Swift or of its package manager; choose another name"
    ;;
esac
[ -n "$folder" ] || refuse $me "FOLDER is empty"
[[ $folder == /* ]] || folder=$start/$folder
[ ! -e "$folder" ] || [ -d "$folder" ] || refuse $me "'$folder' is a file"
[ ! -d "$folder" ] || [ -z "$(ls -A "$folder")" ] || refuse $me "'$folder' is not empty"
library=$PWD
# These characters are special in Swift's strings, in YAML or in a compose file.
[[ $library != *[\"\\\$:,]* ]] || refuse $me "the path of this checkout, '$library', contains one of \" \\ \$ : ,"
mkdir -p "$folder" 2>/dev/null && [ -w "$folder" ] || refuse $me "cannot write into '$folder'"
folder=$(cd "$folder" && pwd)

failed() {
    echo "$me: could not write the files into '$folder'" >&2
    exit 1
}

tar -C Examples/quickstart --exclude='./.build*' --exclude=./.swiftpm --exclude=./Package.resolved -cf - . |
    tar -C "$folder" --no-same-owner -xf - || failed
mv "$folder/Sources/quickstart" "$folder/Sources/.new" && mv "$folder/Sources/.new" "$folder/Sources/$name" &&
    mv "$folder/Tests/quickstartTests" "$folder/Tests/.new" && mv "$folder/Tests/.new" "$folder/Tests/${name}Tests" || failed

# Module names have underscores instead of hyphens.
while IFS= read -r -d '' file; do
    text=$(cat "$file" && echo .) || failed
    text=${text%.}
    text=${text//import quickstart/"import ${name//-/_}"}
    text=${text//quickstart/"$name"}
    case ${file#"$folder/"} in
    Package.swift) text=${text/'?? "../.."'/"?? \"$library\""} ;;
    compose.yaml) text=${text/'rx-linux: ../..'/"rx-linux: \"$library\""} ;;
    Dockerfile) text=${text/'rx-linux=../..'/"rx-linux=$library"} ;;
    .devcontainer/devcontainer.json) text=${text/'source=${localWorkspaceFolder}/../..'/"source=$library"} ;;
    esac
    printf %s "$text" >"$file" || failed
done < <(find "$folder" -type f -print0)

echo "The service $name is in $folder. Next:"
printf '\n    cd %q\n    swift run %s        # the first build takes some minutes; README.md shows the rest\n' "$folder" "$name"
