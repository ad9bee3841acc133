#!/usr/bin/env bash
# scripts/lib/generated/rules.py makes the mutants that its heading lists, and only of the library's code. rows.py finds
# the mutants that a table names by function, operator, name and number, and reports a row that names none.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# made FILE MUTANT...: checks that the standard input, as that file, gets exactly these mutants.
made() {
    local file=$scratch/$1 said wanted
    shift
    cat >"$file"
    said=$(python3 scripts/lib/generated/rules.py "$file" 2>&1 | sort)
    wanted=$(printf '%s\n' "$@" | sort)
    [ "$said" = "$wanted" ] && return
    printf 'FAILED: < is wanted, > is made\n'
    diff <(echo "$wanted") <(echo "$said")
    failed=1
}

# For &&, mutants make an operand true, or the whole expression false. For ||, they make an operand false, or the whole
# expression true.
made Guard.swift "2 condition false: isLive && a < b -> false" "2 condition true: isLive -> true" \
    "2 condition true: a < b -> true" "2 bound: a < b -> a <= b" "3 statement: deliver(a) -> (nothing)" <<'END'
func next() {
    guard isLive && a < b else { return }
    deliver(a)
}
END
made Either.swift "2 condition true: a || b -> true" "2 condition false: a -> false" "2 condition false: b -> false" <<'END'
func next() {
    if a || b { deliver(a) }
}
END
# If a list of conditions begins with a pattern, one mutant makes the list false. Another makes the condition after the
# pattern true.
made Bound.swift "2 condition false: let last = state, try same(last) -> false" "2 condition true: same(last) -> true" \
    "3 nil: error -> nil" "3 statement: end(error) -> (nothing)" "4 statement: rest() -> (nothing)" <<'END'
func next() throws {
    if let last = state, try same(last) { return }
    end(error)
    rest()
}
END
# An expression that returns a Bool is a condition. A number becomes one larger; 1 also becomes 0.
made Value.swift "1 condition true: count == 1 -> true" "1 condition false: count == 1 -> false" "1 number: 1 -> 2" \
    "1 number: 1 -> 0" "2 default: first ?? second -> (second)" "3 extreme: min(a, b) -> max(a, b)" \
    "4 flag: false -> true" "5 sign: a - b -> a + b" <<'END'
var isOne: Bool { count == 1 }
var either: Int { first ?? second }
var least: Int { min(a, b) }
var has = false
let rest = a - b
END
# No mutants: comments, strings, attributes, checks, descriptions, constraints, patterns, debugging code.
made Alone.swift <<'END'
/// True where a < b.
@available(macOS 10, *)
extension Box where Element == Int {
    var description: String { "\(a < 1 ? true : false)" }
    func check<T>(_: T) where T.Element == Element {
        assert(a < 1, "it is \(false)")
        precondition(1 < 2)
        #if DEBUG
        note(1)
        #endif
        switch a {
        case 1: break
        default: break
        }
    }
}
END
made gate.c "4 condition true: gate->word == 1 -> true" "4 condition false: gate->word == 1 -> false" "4 number: 1 -> 2" \
    "4 number: 1 -> 0" "5 statement: gate->waiting-- -> (nothing)" "6 statement: gate->has_news = 0 -> (nothing)" \
    "6 number: 0 -> 1" "8 flag: true -> false" <<'END'
#define ONE 1
enum { TURN = 5 };
static bool entered(struct gate *gate) {
    if (gate->word == 1) {
        gate->waiting--;
        gate->has_news = 0;
    }
    return true;
}
END
# A named row still finds its place after statements of `leave` have moved.
cat >"$scratch/rows.c" <<'END'
static void enter(struct gate *gate) {
    count(gate);
}
static bool leave(struct gate *gate, int more) {
    gate->owner = 0;
    wake(gate);
    if (more > 0) {
        wake(gate->next);
        gate->count++;
    }
    return gate->word == 0;
}
END
cat >"$scratch/table.txt" <<END
A heading.

# The gate
file $scratch/rows.c
check core 1
1 leave: statement wake: nobody is woken
2 leave: statement wake #2: the next is not woken
3 leave: condition false more: more is never there
check fuzz gate
4 leave: condition true word: it is always empty
5 leave: statement owner: it keeps its owner
6 enter: statement wake: there is no such call in this function
7 leave: statement wake #3: there are only two
END
said=$(python3 scripts/lib/generated/rows.py "$scratch/table.txt" 2>&1)
status=$?
wanted=$(printf '%s\n' "1|core 1|nobody is woken" "2|core 1|the next is not woken" "3|core 1|more is never there" \
    "4|fuzz gate|it is always empty" "5|fuzz gate|it keeps its owner" | tr '|' '\t'
    echo "row 6 names no place in the sources: $scratch/rows.c: enter: statement wake"
    echo "row 7 names no place in the sources: $scratch/rows.c: leave: statement wake #3")
[ $status = 3 ] && [ "$(sort <<<"$said")" = "$(sort <<<"$wanted")" ] || {
    echo "FAILED: status $status, not 3, or these rows:" && diff <(sort <<<"$wanted") <(sort <<<"$said")
    failed=1
}
# Each row has its own place.
PYTHONDONTWRITEBYTECODE=1 python3 - "$scratch/table.txt" <<'END' || failed=1
import sys
sys.path.insert(0, "scripts/lib/generated")
import rows
files, _ = rows.placed(rows.read(sys.argv[1]))
found = [(row.number, mutant["line"], mutant["old"]) for pairs in files.values() for row, mutant in pairs]
wanted = [(1, 6, "wake(gate)"), (2, 8, "wake(gate->next)"), (3, 7, "more > 0"), (4, 11, "gate->word == 0"),
          (5, 5, "gate->owner = 0")]
if found != wanted:
    sys.exit(f"FAILED: wanted {wanted}, found {found}")
END
# Parts 1 to 3 have no mutant in common and together contain all of them. Part 4 is part 1 again. A mutant that hangs
# counts as caught.
PYTHONDONTWRITEBYTECODE=1 python3 - "$scratch" <<'END' || failed=1
import contextlib, io, json, sys
sys.path.insert(0, "scripts/lib/generated")
import trials
def scores(part):
    all = trials.Trials.__new__(trials.Trials)
    all.mutants = [{"key": str(n), "number": n, "file": "Sources/RxSwift/A.swift"} for n in range(1, 8)]
    came = ["caught", "hangs", "survived", "unreached", "caught", "caught", "caught"]
    all.beside = lambda name: f"{sys.argv[1]}/{name}"
    with open(all.beside("tried.jsonl"), "w") as file:
        for each in all.mutants:
            file.write(json.dumps({"key": each["key"], "came": came[each["number"] - 1]}) + "\n")
    tried = []
    all.learn = all.report = lambda: None
    all.score = lambda chosen: tried.extend(each["number"] for each in chosen) or trials.Trials.score(all, chosen)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        all.all(3, part)
    return tried, said.getvalue().strip()
parts = [scores(part)[0] for part in (1, 2, 3)]
assert [len(part) for part in parts] == [3, 3, 1] and sorted(sum(parts, [])) == list(range(1, 8)), parts
assert scores(4) == scores(1) and scores(5) == scores(2)
everything = trials.Trials.__new__(trials.Trials)
everything.results = {"1": {"came": "caught"}, "2": {"came": "hangs"}, "3": {"came": "survived"}, "4": {"came": "unreached"}}
said = everything.score([{"key": key} for key in "1234"])
wanted = "score: 2 of 4 caught (50.0 %), 1 survived, 1 in code that no test runs"
assert said == wanted, said
END
# mutants.sh rejects invalid arguments before a build.
refused() {
    local said status
    said=$(scripts/mutants.sh "${@:2}" 2>&1)
    status=$?
    [ $status = 2 ] && [[ $said == *"$1"* ]] && return
    echo "FAILED: mutants.sh ${*:2}: status $status, not 2: $said"
    failed=1
}
refused "there is no option '--swift'" --swift
refused "need --generated" --sample 5
refused "--part needs --sample" --generated --part 2
refused "--changed needs a commit, not 'no-such-commit'" --generated --changed no-such-commit
refused "select rows of" --generated --core

[ $failed = 0 ] && echo "Tests/Scripts/generated_test.sh passed"
exit $failed
