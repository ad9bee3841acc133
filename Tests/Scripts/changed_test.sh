#!/usr/bin/env bash
# scripts/lib/changed.sh runs a step if one of its inputs has changed since main, committed or not, and names a step
# that it leaves out.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
here=$PWD
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# gate EXPECTED [VARIABLE=VALUE...]: runs a step with the inputs `core` and `models`; its output contains EXPECTED.
gate() {
    local said
    said=$(env -u CI "${@:2}" bash -c ". '$here/scripts/lib/step.sh'; . '$here/scripts/lib/changed.sh'; if_changed 'core models' step checks echo ran" 2>&1)
    [[ $said == *"$1"* ]] && return
    printf 'FAILED: %s: expected "%s", got "%s"\n' "$what" "$1" "$said"
    failed=1
}

git() {
    command git -c user.name=test -c user.email=test@localhost "$@"
}

runs='== checks
ran' skips='== checks: left out, no change since main in core models'

mkdir "$scratch/repository" && cd "$scratch/repository" || exit
what="no repository" && gate "$runs"
git init -q -b main && mkdir core models && echo 1 >core/a && echo 1 >other && git add . && git commit -qm first
what="the only commit of main" && gate "$runs"
echo 2 >other && git commit -qam second
what="main, another file" && gate "$skips"
echo 2 >core/a && git commit -qam third
what="main, core" && gate "$runs"
git checkout -qb branch
what="a branch without commits of its own" && gate "$runs"
git checkout -q main && echo 3 >other && git commit -qam fourth && git checkout -qb later
what="a branch at a commit that changes another file" && gate "$skips"
echo 4 >other && git commit -qam fifth
what="a branch, another file" && gate "$skips"
echo 3 >core/a
what="a branch, not committed" && gate "$runs"
git checkout -q core && echo 1 >models/b
what="a branch, not added" && gate "$runs"
git add . && git commit -qm sixth && echo 5 >other && git commit -qam seventh
what="a branch, an earlier commit" && gate "$runs"
what="CI, the base is main" && gate "$runs" CI=true RX_BASE=main
what="CI, the base is the commit before the last" && gate "$skips" CI=true RX_BASE=HEAD~1
what="CI, no base" && gate "$runs" CI=true
what="CI, a base that does not exist" && gate "$runs" CI=true RX_BASE=0000000000000000000000000000000000000000

[ $failed = 0 ] && echo "Tests/Scripts/changed_test.sh passed"
exit $failed
