#!/usr/bin/env bash
# scripts/check-topics.py names what DocC itself has put on a page, and nothing else.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# page PATH KIND SECTION...: a page of the archive. A section is a TITLE, `=` if DocC made it or `-` if the page has it,
# and its symbol.
page() {
    local file=$scratch/archive/data/documentation/$1.json kind=$2 section sections=() generated
    shift 2
    for section in "$@"; do
        generated=
        [[ $section != *=* ]] || generated='"generated": true,'
        sections+=("{\"title\": \"${section%%[=-]*}\", $generated \"identifiers\": [\"doc://M/documentation/${section##*[=-]}\"]}")
    done
    mkdir -p "$(dirname "$file")"
    (IFS=, && echo "{\"metadata\": {\"symbolKind\": \"$kind\"}, \"topicSections\": [${sections[*]}]}") >"$file"
}

# `said STATUS WORDS`: checks the exit status and the output for the archive, then removes the archive.
said() {
    local said status
    said=$(scripts/check-topics.py "$scratch/archive" 2>&1)
    status=$?
    rm -rf "$scratch/archive"
    [ $status = "$1" ] && grep -qF -- "$2" <<<"$said" && return
    printf 'FAILED: expected status %s and "%s", got status %s and\n%s\n' "$1" "$2" $status "$said"
    failed=1
}

page m module "Own-M/A" "Extended Modules=M/N"
page m/a class "Instance Methods=M/A/b"
said 0 "symbols in no topic: 0; pages checked: 2"

page m module "Own-M/A" "Structures=M/S"
said 1 "M/S: in no topic of a page; DocC lists it under Structures"

page m module "Own-M/A"
page m/a class "Transforming-M/A/b" "Instance Methods=M/A/c" "Default Implementations=M/A/D"
said 1 "M/A/c: in no topic"

page m module "Own-M/A"
page m/n/t extension "Instance Methods=M/N/T/d"
said 1 "M/N/T/d: in no topic"

said 2 "there is no documentation"

[ $failed = 0 ] && echo "Tests/Scripts/topics_test.sh passed"
exit $failed
