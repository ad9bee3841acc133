#!/usr/bin/env bash
# scripts/check-marbles.py accepts correct diagrams, and names the line of each planted fault.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

said() {
    local said status
    sed 's|^|///     |' >"$scratch/Drawn.swift"
    said=$(scripts/check-marbles.py "$scratch/Drawn.swift" 2>&1)
    status=$?
    [ $status = "$1" ] && grep -qF -- "$2" <<<"$said" && return
    printf 'FAILED: expected status %s and "%s", got status %s and\n%s\n' "$1" "$2" $status "$said"
    failed=1
}

right() {
    said 0 "all aligned"
}

wrong() {
    said 1 "Drawn.swift:$1"
}

right <<'END'
source:         --1--2--3--|
map { $0 * 2 }: --2--4--6--|
END
wrong "2: what is in column 8, 6, has no cause; the nearest is 3 columns after it" <<'END'
source:         --1--2-----|
map { $0 * 2 }: --2--4--6--|
END
wrong "2: what is in column 6, 4, has no cause; the nearest is 1 column before it" <<'END'
source:         --1--2--3--|
map { $0 * 2 }: --2---4-6--|
END
wrong "2: a timeline begins 1 column after the first" <<'END'
source:         --1--2--3--|
map { $0 * 2 }:  --2--4--6--|
END
wrong "2: what is in column 12, |, has no cause" <<'END'
source:      --1--2--3--|
takeLast(1): -----------3|
END

right <<'END'
source:           --1-2----3--|
delay(3 columns): -----1-2----3--|
END
wrong "2: what is in column 6, 1, has no cause; the nearest is 1 column" <<'END'
source:           --1-2----3--|
delay(3 columns): ------1-2---3--|
END
wrong "2: what is in column 5, 3, comes before its source" <<'END'
source:           --1-2----3--|
delay(3 columns): -----3-2----1--|
END

right <<'END'
source:                   --1-----2---|
flatMap { $0 ──a──b──| }: ----1a-1b-2a-2b-|
END
wrong "2: what is in column 5, 1a, has no cause; the nearest is 1 column" <<'END'
source:                   --1-----2---|
flatMap { $0 ──a──b──| }: -----1a-1b-2a-2b-|
END

right <<'END'
source:           --1--#
the second time:       --1--#
retry(2):         --1----1--#
END
wrong "2: nothing causes the timeline that begins in column 6" <<'END'
source:           --1--#
the second time:        --1--#
retry(2):         --1----1--#
END

right <<'END'
source:           --1--2--3--|
replay(1), later: ---(^1)-----   not in the last column yet
END
wrong "1: it does not end, and stops 4 columns before the diagram does" <<'END'
other:       -------0
source:      --1--2--3--|
take(3):     --1--2--(3|)
END
wrong "2: something follows the end" <<'END'
source:  --1--2--3--|
take(1): --(1|)--3--|
END
wrong "2: this cannot be read as a label and a timeline" <<'END'
source:  --1--2--3--|
take(1)  --(1|)
END
wrong "1: this cannot be read as a label and a timeline" <<'END'
source: --true--|         source: --false--|
not():  --false-|         not():  --true---|
END
said 1 "no marble diagram was found" <<'END'
let source = scheduler.createColdObservable("--1--|")
END

[ $failed = 0 ] && echo "Tests/Scripts/marbles_test.sh passed"
exit $failed
