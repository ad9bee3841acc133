#!/usr/bin/env bash
# scripts/lib/pictures.py removes the text diagram directly above a picture, and no other line.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# graph LINE...: writes a symbol graph with a doc comment of these lines.
graph() {
    printf '%s\n' "$@" | python3 -c '
import json, sys
lines = [{"text": line} for line in sys.stdin.read().splitlines()]
print(json.dumps({"symbols": [{"docComment": {"lines": lines}}, {}]}))' >"$scratch/RxSwift.symbols.json"
}

left() {
    local status said wanted
    scripts/lib/pictures.py "$scratch" >/dev/null
    status=$?
    said=$(python3 -c '
import json, sys
for line in json.load(open(sys.argv[1]))["symbols"][0]["docComment"]["lines"]: print(line["text"])' "$scratch/RxSwift.symbols.json")
    wanted=$1 && shift
    [ "$status" = "$wanted" ] && [ "$said" = "$(printf '%s\n' "$@")" ] && return
    printf 'FAILED: expected status %s and\n%s\ngot status %s and\n%s\n' "$wanted" "$(printf '%s\n' "$@")" "$status" "$said"
    failed=1
}

graph "Skips." "" "    source:  --1--2-|" "    skip(1): -----2-|" "" "![It skips](marble-skip)" "" "    code()" "" "![Other](other)"
left 0 "Skips." "" "![It skips](marble-skip)" "" "    code()" "" "![Other](other)"
graph "Skips." "" "    source:  --1--2-|" "" "More." "![It skips](marble-skip)"
left 1 "Skips." "" "    source:  --1--2-|" "" "More." "![It skips](marble-skip)"

[ $failed = 0 ] && echo "Tests/Scripts/pictures_test.sh passed"
