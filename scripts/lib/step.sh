# Sourced by scripts that run steps. A failed step does not end the script. A table at the end shows each step's result,
# time and processor time.

step_table=()
step_complaints=()
step_failed=0
step_folder=
# Several processes add steps, so the steps of each `aside` have their own numbers.
step_lane=9 step_lanes=0

step() {
    local name=$1 begin=$SECONDS log status used
    shift
    log=$(mktemp)
    printf '\n== %s\n' "$name"
    # A separate shell's processor time excludes steps that end in the background.
    {
        ("$@") </dev/null 2>&1
        status=$?
        processor_time "$log.times"
        echo "$processor_seconds" >"$log.used"
        exit $status
    } | tee "$log"
    status=${PIPESTATUS[0]}
    read -r used <"$log.used" || used=0
    ended "$name" "$status" $((SECONDS - begin)) "$used" "$log"
    rm -f "$log" "$log.times" "$log.used"
}

# processor_time FILE: sets `processor_seconds` to the processor time of this shell's finished children. `times` in a
# subshell would print the subshell's times, so the output goes to the file.
processor_time() {
    builtin times >"$1"
    processor_seconds=$(awk 'NR == 2 { gsub(/[ms]/, " "); print int($1 * 60 + $2 + $3 * 60 + $4) }' "$1")
}

# ended NAME STATUS SECONDS USED LOG: adds a line to the table and, after a failure, the reasons for the end. USED is
# the processor time in seconds.
ended() {
    local result=passed
    if [ "$2" != 0 ]; then
        result="FAILED (exit $2)"
        step_failed=1
        step_complaints+=("$(printf '\n== why: %s\n' "$1" && complaints "$5")")
    fi
    step_table+=("$(printf '%4d s  %4d s used  %-46s %s' "$3" "$4" "$1" "$result")")
}

# complaints LOG: prints the lines that probably state reasons, or the last lines, and the stack of a sanitizer's
# report. If the step has run other steps, prints the reasons that they have left in LOG.
complaints() {
    if grep -qa '^== why: ' "$1"; then
        sed -n '/^== why: /,$p' "$1" | head -n 160 | cut -c 1-400
        return
    fi
    local reasons='✘|(^|: )error: |FAILED|[Ff]atal error|have not ended'
    local report='Sanitizer: |^ *(Direct|Indirect) leak|^  (Write|Read|Previous|Atomic|As if)| #[0-9]+ .*((Sources|Tests|Packages)/| in _dispatch)'
    grep -aE "$reasons" "$1" | tail -n 40 | cut -c 1-400
    grep -aE "$report" "$1" | awk '!said[$0]++' | head -n 120 | cut -c 1-400
    grep -qaE "$reasons|Sanitizer: " "$1" || tail -n 20 "$1"
}

# beside NAME COMMAND...: runs a step that measures no time in the background, at most two at once.
beside() {
    local name=$1 place
    shift
    [ -n "$step_folder" ] || step_folder=$(mktemp -d)
    while [ "$(jobs -rp | wc -l)" -ge 2 ]; do wait -n; done
    new_place "$name"
    (
        begin=$SECONDS
        "$@" </dev/null >"$place.log" 2>&1
        status=$?
        processor_time "$place.times"
        echo "$status $((SECONDS - begin)) $processor_seconds" >"$place.result"
    ) &
}

# new_place NAME: sets `place` to the path of the step's files, without endings.
new_place() {
    place=$step_folder/$step_lane-$(find "$step_folder" -name "$step_lane-*.name" | wc -l | xargs printf '%03d')
    echo "$1" >"$place.name"
}

# aside PRIORITY FUNCTION: calls a function that uses `beside` in the background. With a PRIORITY of 10 (see renice),
# its steps do not delay the script's own.
aside() {
    [ -n "$step_folder" ] || step_folder=$(mktemp -d)
    step_lanes=$((step_lanes + 1))
    (
        renice -n "$1" "$BASHPID" >/dev/null 2>&1
        step_lane=$step_lanes
        "$2"
        wait
    ) &
}

# together: waits for all background steps, then prints their outputs one after the other.
together() {
    local name place status seconds used
    wait
    for name in "$step_folder"/*.name; do
        place=${name%.name}
        [ ! -f "$place.left" ] || { left_out "$(cat "$name")" "$(cat "$place.left")" && continue; }
        read -r status seconds used <"$place.result" || { status=killed seconds=0 used=0; }
        printf '\n== %s\n' "$(cat "$name")"
        cat "$place.log"
        ended "$(cat "$name")" "$status" "$seconds" "$used" "$place.log"
    done
    rm -rf "$step_folder"
    step_folder=
}

# with_python STEP NAME COMMAND...: runs `step` or `beside` if there is python3.
with_python() {
    if command -v python3 >/dev/null; then "$@"; else left_out "$2" "there is no python3"; fi
}

# left_out NAME WHY: reports a step that cannot run here, now and in the table. In a function of `aside`, `together`
# reports it.
left_out() {
    if [ "$BASHPID" != $$ ] && [ -n "$step_folder" ]; then
        local place
        new_place "$1"
        echo "$2" >"$place.left"
        return
    fi
    printf '\n== %s: left out, %s\n' "$1" "$2"
    step_table+=("$(printf '%4s  %13s  %-46s %s' - "" "$1" "left out, $2")")
}

# finish WHAT: prints the reasons of failures and the table, and exits.
finish() {
    [ $step_failed = 0 ] || printf '%s\n' "${step_complaints[@]}"
    printf '\n'
    printf '%s\n' "${step_table[@]}"
    if [ $step_failed = 0 ]; then
        printf '%4d s  %s passed\n' $SECONDS "$1"
    else
        printf '%4d s  %s FAILED\n' $SECONDS "$1"
    fi
    exit $step_failed
}

limited() {
    local seconds=$1
    shift
    timeout --foreground --kill-after=10 "$seconds" "$@"
}
