#!/usr/bin/env bash
# scripts/lib/generated/rules.py makes the mutants that it says, and none of what is no code of the library's.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# made FILE MUTANT...: what stands on standard input, as that file, gets these mutants and no others.
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

# Conditions: a part of && can be made true, a part of || false, and the whole what they cannot make it.
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
# A pattern fails, and what stands behind it is a condition.
made Bound.swift "2 condition false: let last = state, try same(last) -> false" "2 condition true: same(last) -> true" \
    "3 nil: error -> nil" "3 statement: end(error) -> (nothing)" "4 statement: rest() -> (nothing)" <<'END'
func next() throws {
    if let last = state, try same(last) { return }
    end(error)
    rest()
}
END
# What returns a Bool is a condition; a number is one more, and one is none.
made Value.swift "1 condition true: count == 1 -> true" "1 condition false: count == 1 -> false" "1 number: 1 -> 2" \
    "1 number: 1 -> 0" "2 default: first ?? second -> (second)" "3 extreme: min(a, b) -> max(a, b)" \
    "4 flag: false -> true" "5 sign: a - b -> a + b" <<'END'
var isOne: Bool { count == 1 }
var either: Int { first ?? second }
var least: Int { min(a, b) }
var has = false
let rest = a - b
END
# Left alone: comments, strings, attributes, checks, descriptions, constraints, patterns, what is for debugging.
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
[ $failed = 0 ] && echo "all as they are meant"
exit $failed
