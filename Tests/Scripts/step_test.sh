#!/usr/bin/env bash
# scripts/lib/step.sh waits for background steps, keeps outputs apart, and reports failures.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

failed=0

# `said STATUS WORDS LINE...`: the exit status, and the output without times, of a script of these lines.
said() {
    local status=$1 words=$2 said
    shift 2
    said=$(bash -c ". scripts/lib/step.sh; a() { sleep \$1; echo says \$2; sleep \$1; echo ends \$2; return \$3; }
        $(printf '%s\n' "$@")" 2>&1)
    [ $? = "$status" ] && said=$(sed -E 's/^ *[0-9]+ s (  [ 0-9]* s used)? *//; s/   */ /g' <<<"$said" | tr '\n' ';') && [[ $said == *"$words"* ]] && return
    printf 'FAILED: expected status %s and "%s", got\n%s\n' "$status" "$words" "$said"
    failed=1
}

said 0 "== slow;says slow;ends slow;;== quick;says quick;ends quick;;slow passed;quick passed;all passed" \
    'beside slow a 0.3 slow 0' 'beside quick a 0.1 quick 0' together 'finish all'
said 1 "first passed;second FAILED (exit 3);third passed;all FAILED" \
    'beside first a 0 first 0' 'beside second a 0 second 3' together 'step third a 0 third 0' 'finish all'
# `finish` repeats the reasons of a failure, or the last lines of the step's output.
said 1 "third passed;;== why: second;error: of second;;second FAILED (exit 3);" \
    'beside second eval "echo goes; echo error: of second; echo on; (exit 3)"' together 'echo third passed' 'finish all'
said 1 "third passed;;== why: second;ERROR: LeakSanitizer: leaks;Direct leak of 1; #1 0x5 in f Tests/A.swift:3;;second FAILED (exit 3);" \
    'leaks() { printf "%s\n" "ERROR: LeakSanitizer: leaks" "Direct leak of 1" "    #0 0x4 in malloc" "    #1 0x5 in f Tests/A.swift:3" "ERROR: LeakSanitizer: leaks"; return 3; }' \
    'beside second leaks' together 'echo third passed' 'finish all'
said 1 "third passed;;== why: second;== why: inner;no reason;;inner FAILED (exit 3);inner steps FAILED;;second FAILED" \
    'steps() { bash -c ". scripts/lib/step.sh; step inner eval \"echo no reason; (exit 3)\"; finish \"inner steps\""; }' \
    'beside second steps' together 'echo third passed' 'finish all'
said 1 "22;;last FAILED (exit 3);" 'step last eval "seq 22; (exit 3)"' 'finish all'
said 1 "ended FAILED (exit killed);all FAILED" 'beside ended eval "kill -9 \$BASHPID"' together 'finish all'
# At most two steps run at once.
said 0 "most 2;" 'here=$(mktemp -d)' \
    'b() { touch "$here/$BASHPID"; find "$here" -type f | wc -l >>"$here.counts"; sleep 0.2; rm "$here/$BASHPID"; }' \
    'for each in 1 2 3 4; do beside "$each" b; done' together 'echo "most $(sort -n "$here.counts" | tail -n 1)"' \
    'rm -r "$here" "$here.counts"' 'finish all'
# Steps of `aside` run at a lower priority, and are reported last.
said 0 "== front;says front;ends front;;== slow;says slow;ends slow;;== low;10;;== gone: left out, no reason;;front passed;slow passed;low passed; - gone left out, no reason" \
    'lane() { beside slow a 0.2 slow 0; beside low nice; left_out gone "no reason"; }' \
    'aside 10 lane' 'step front a 0.1 front 0' together 'finish all'
said 0 "== front;$(nice);;== first;$(nice);;== second;10;;front passed;first passed;second passed" \
    'one() { beside first nice; }' 'two() { beside second nice; }' 'aside "$(nice)" one' 'aside 10 two' 'step front nice' \
    together 'finish all'
said 1 "front passed;low FAILED (exit 3);" 'lane() { beside low a 0 low 3; }' 'aside 10 lane' 'step front a 0 front 0' together 'finish all'
said 0 "slow passed;quick passed;all passed" 'lane() { beside slow a 0.3 slow 0; }' 'aside 10 lane' 'beside quick a 0.1 quick 0' together 'finish all'

# The processor time of a step excludes that of an `aside` step that ends at the same time. The names form a column.
table=$(bash -c '. scripts/lib/step.sh; here=$(mktemp -d)
    burn() { (ulimit -t 2; while :; do :; done); true; }
    lane() { beside low burn; left_out gone "no reason"; wait; touch "$here/ended"; }
    front() { until [ -e "$here/ended" ]; do sleep 0.5; done; sleep 0.5; }
    aside 0 lane; step front front; together; rm -r "$here"; finish all' 2>/dev/null | grep -E ' s used | - ')
awk '/ front / && $3 > 0 || / low / && $3 < 1 || substr($0, 68, 2) !~ "^ [a-z]" { bad = 1 } END { exit bad || NR != 3 }' <<<"$table" ||
    { printf 'FAILED: another table\n%s\n' "$table" && failed=1; }

[ $failed = 0 ] && echo "Tests/Scripts/step_test.sh passed"
exit $failed
