#!/usr/bin/env bash
# Finds phrases that make comments, documentation and test names hard to read, and suggests plain ones.
#
#     scripts/check-prose.sh [--since REVISION]    checks the lines added since REVISION, and the repository's rates
#     scripts/check-prose.sh --list [PATH...]      prints each phrase in these files or folders, or everywhere
#     scripts/check-prose.sh --record              lowers the recorded rates to the current ones
#
# REVISION is the merge base with the main branch by default. Added lines may contain no phrase of scripts/lib/prose.py.
# The percentage of lines with a phrase may not exceed the rates in scripts/lib/prose.txt. Text in backquotes is not
# checked.
#
# Exit status 1: a phrase was added, or a rate is too high. 2: wrong usage.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
. scripts/lib/options.sh

script=scripts/check-prose.sh
[ $# -gt 0 ] || set -- --since ''
case $1 in
-h | --help) help_of "$script" && exit 0 ;;
--since)
    [ $# = 2 ] || refuse "$script" "--since takes one revision"
    since=$2
    if [ -z "$since" ]; then
        for main in origin/main main; do
            since=$(git merge-base HEAD "$main" 2>/dev/null) && break
        done
        [ -n "$since" ] || refuse "$script" "neither origin/main nor main exists; name a revision with --since"
    fi
    git rev-parse --quiet --verify "$since^{commit}" >/dev/null || refuse "$script" "there is no revision '$since'"
    set -- --since "$since"
    ;;
--list)
    for path in "${@:2}"; do
        [ -e "$path" ] || refuse "$script" "there is no file or folder '$path'"
    done
    ;;
--record) [ $# = 1 ] || refuse "$script" "--record takes no argument, not '$2'" ;;
*) refuse "$script" "unknown argument '$1'; see --help" ;;
esac
exec python3 scripts/lib/prose.py "$@"
