#!/usr/bin/env bash
# scripts/check-prose.sh finds phrases in added lines, accepts old ones, and allows no rate to rise.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

command -v python3 >/dev/null || { echo "Tests/Scripts/prose_test.sh left out: there is no python3" && exit 0; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b.c GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@b.c

mkdir -p "$scratch/scripts/lib"
cp scripts/check-prose.sh "$scratch/scripts/"
cp scripts/lib/options.sh scripts/lib/prose.py "$scratch/scripts/lib/"
cat >"$scratch/A.swift" <<'END'
// The old line that says nothing useful.
// The queue accepts elements in order.
@Test func queueFullRejectsElement() {}
END
cat >"$scratch/A.md" <<'END'
The queue accepts elements in order.

```swift
// In code it says nothing about anybody.
```
END
rates() {
    printf '# Rates.\ncode %s\npages %s\ntest-names %s\n' "$@" >"$scratch/scripts/lib/prose.txt"
}
git -C "$scratch" init --quiet --initial-branch main
echo scripts >>"$scratch/.git/info/exclude"
git -C "$scratch" add -A
git -C "$scratch" commit --quiet -m "Begin"

ended() {
    local status=$1 words=$2 printed got
    shift 2
    printed=$("$scratch/scripts/check-prose.sh" "$@" 2>&1)
    got=$?
    [ $got = "$status" ] && [[ $printed == *"$words"* ]] && return
    printf 'FAILED: %s: got status %s and\n%s\n' "$*" $got "$printed"
    failed=1
}

reset() {
    rates 50.0 0.0 0.0
    git -C "$scratch" checkout --quiet --force main
    git -C "$scratch" reset --quiet --hard
    git -C "$scratch" clean --quiet --force -d
}

reset
ended 0 "scripts/check-prose.sh --list" --help
ended 2 "check-prose.sh: unknown argument '--nonsense'" --nonsense
ended 2 "check-prose.sh: --since takes one revision" --since
ended 2 "check-prose.sh: there is no revision 'nowhere'" --since nowhere
ended 2 "check-prose.sh: there is no file or folder 'B.md'" --list B.md
ended 2 "check-prose.sh: --record takes no argument, not '5'" --record 5

# Lines of the main branch are accepted, but listed.
ended 0 "code: 50.0 % of lines, 50.0 % allowed: as recorded"
ended 0 "A.swift:1: The old line that says nothing useful." --list A.swift

# A phrase in an added line fails. The file may be changed or new, and the line committed or not.
printf '%s\n' '// Nobody has told the queue.' '// The count is exact and cheap.' '// The order is that of arrival.' >>"$scratch/A.swift"
ended 1 "A.swift:4: Nobody has told the queue."
git -C "$scratch" checkout --quiet -b work
git -C "$scratch" commit --quiet -am "Add"
ended 1 "1 added line with a phrase that is hard to read"
ended 0 "code:" --since HEAD
reset
echo 'Somebody has to wait for it.' >"$scratch/B.md"
rates 50.0 100.0 0.0
ended 1 "B.md:1: Somebody has to wait for it"
reset
printf '@Test\nfunc whatWaitsIsFreed() {}\n' >>"$scratch/A.swift"
rates 50.0 0.0 100.0
ended 1 "A.swift:5: whatWaitsIsFreed"
reset

# A rate above the recorded one fails; --record does not raise it.
rates 49.0 0.0 0.0
ended 1 "code: 50.0 % of lines, 49.0 % allowed: too high"
ended 1 "code 49.0" --record
rates 60.0 0.0 0.0
ended 0 "lower it with --record"
ended 0 "code 50.0" --record
reset

git -C "$scratch" checkout --quiet --detach
git -C "$scratch" branch --quiet -D main work
ended 2 "neither origin/main nor main exists"

[ $failed = 0 ] && echo "Tests/Scripts/prose_test.sh passed"
exit $failed
