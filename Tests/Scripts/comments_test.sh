#!/usr/bin/env bash
# scripts/check-comments.py accepts a complete comment and names the missing items of incomplete ones.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/RxSwift"
failed=0

# declared COMMENT [TITLE COMMENT]: writes a module whose operator `map(_:)` has this comment. TITLE COMMENT adds a
# second declaration.
declared() {
    python3 - "$scratch/RxSwift/RxSwift.symbols.json" "map(_:)" "$@" <<'EOF'
import json
import sys

def symbol(line, title, comment):
    return {
        "kind": {"identifier": "swift.method"}, "identifier": {"precise": title}, "names": {"title": title},
        "pathComponents": ["ObservableType", title], "location": {"uri": "file:///Map.swift", "position": {"line": line}},
        "functionSignature": {"parameters": [{"name": "transform"}],
                              "returns": [{"kind": "typeIdentifier", "spelling": "Observable"}]},
        "docComment": {"lines": [{"text": text} for text in comment.split("\n")]},
    }

pairs = zip(sys.argv[2::2], sys.argv[3::2])
symbols = [symbol(6 + 10 * i, *pair) for i, pair in enumerate(pairs)]
json.dump({"symbols": symbols, "relationships": []}, open(sys.argv[1], "w"))
EOF
}

said() {
    local said status
    said=$(scripts/check-comments.py --pages "$scratch/pages" "$scratch/RxSwift" 2>&1)
    status=$?
    [ $status = "$1" ] && grep -qF -- "$2"$'\n' <<<"$said"$'\n' && return
    printf 'FAILED: expected status %s and "%s", got status %s and\n%s\n' "$1" "$2" $status "$said"
    failed=1
}

touch "$scratch/pages"
summary=$'Each element, transformed.\n\n'
example=$'    source: --1--|\n\n'
prose=$'Events stay on their thread; an error is handed on. The source pauses with what is below.\n\n'
parameter='- Parameter transform: called with each element.'
whole=$summary$example$prose$parameter
first="/Map.swift:7: ObservableType.map(_:) lacks:" second="/Map.swift:17: ObservableType.mapAll(_:) lacks:"

declared "$whole"
said 0 "RxSwift: 1 declarations, 1 operators, 0 of them incomplete"

declared ""
said 1 "$first summary"
declared "$summary$example$prose"
said 1 "$first parameter transform"
declared "$summary$example"$'An error is handed on. The source pauses.\n\n'"$parameter"
said 1 "$first threads"
declared "$summary$example"$'Events stay on their thread. The source pauses.\n\n'"$parameter"
said 1 "$first ends"
declared "$summary$example"$'Events stay on their thread; an error is handed on.\n\n'"$parameter"
said 1 "$first pausing"
# The indented second line of a parameter's text is not an example.
declared "$summary$prose$parameter"$'\n    It is kept.'
said 1 "$first example"
said 1 "RxSwift: 1 declarations, 1 operators, 1 of them incomplete"
# Words in code do not count as a sentence.
declared "$summary"$'    queue.fail(thread)\n\nIt is `thread` and `error` and `pause`.\n\n'"$parameter"
said 1 "$first threads, ends, pausing"

declared "$whole" "mapAll(_:)" $'All of them.\n\nLike ``map(_:)``.'
said 0 "RxSwift: 2 declarations, 2 operators, 0 of them incomplete"
declared "$whole" "mapAll(_:)" $'All of them.\n\nIt is not ``map(_:)``.'
said 1 "$second parameter transform, threads, ends, pausing, example"
declared "$summary$prose$parameter" "mapAll(_:)" $'All of them.\n\nLike ``map(_:)``.'
said 1 "$second parameter transform, threads, ends, pausing, example (what it refers to, map(_:), does not say it either)"

link=$'\n\n## See Also\n\n- [map on reactivex.io](https://reactivex.io/documentation/operators/map.html)'
echo "map map(_:)" >"$scratch/pages"
declared "$whole"
said 1 "$first page (https://reactivex.io/documentation/operators/map.html)"
declared "$whole$link"
said 0 "RxSwift: 1 declarations, 1 operators, 0 of them incomplete"
echo "scan map(_:)" >"$scratch/pages"
said 1 "$first page in the table: it leads to map"
echo "map scan(_:)" >"$scratch/pages"
said 1 "scripts/check-comments.py: the table of pages has scan(_:), which is not an operator"

rm "$scratch/RxSwift/"*
said 2 "scripts/check-comments.py: there is no symbol graph in '$scratch/RxSwift'"

[ $failed = 0 ] && echo "Tests/Scripts/comments_test.sh passed"
exit $failed
