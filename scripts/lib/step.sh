# Sourced by scripts that run one step after the other: all of them run, the failed ones are named at the end, with the time of each.

step_table=()
step_complaints=()
step_failed=0
step_folder=

# step NAME COMMAND...: runs the command as a step; a failure is remembered and does not end the script.
step() {
    local name=$1 begin=$SECONDS log status
    shift
    log=$(mktemp)
    printf '\n== %s\n' "$name"
    "$@" </dev/null 2>&1 | tee "$log"
    status=${PIPESTATUS[0]}
    ended "$name" "$status" $((SECONDS - begin)) "$log"
    rm -f "$log"
}

# ended NAME STATUS SECONDS LOG: a line of the table, and of what failed the reasons, to be said again at the end.
ended() {
    local result=passed
    if [ "$2" != 0 ]; then
        result="FAILED (exit $2)"
        step_failed=1
        step_complaints+=("$(printf '\n== why: %s\n' "$1" && complaints "$4")")
    fi
    step_table+=("$(printf '%4d s  %-46s %s' "$3" "$1" "$result")")
}

# complaints LOG: the lines that read as reasons, or the last ones where none does; of a sanitizer's report also where it was. A step that
# has steps of its own has said why itself.
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

# beside NAME COMMAND...: as `step`, while the script goes on, two of them at once: for what measures no time. `together` waits for them.
beside() {
    local name=$1 place
    shift
    [ -n "$step_folder" ] || step_folder=$(mktemp -d)
    while [ "$(jobs -rp | wc -l)" -ge 2 ]; do wait -n; done
    place=$step_folder/$(find "$step_folder" -name '*.name' | wc -l | xargs printf '%03d')
    echo "$name" >"$place.name"
    (
        begin=$SECONDS
        "$@" </dev/null >"$place.log" 2>&1
        echo "$? $((SECONDS - begin))" >"$place.result"
    ) &
}

# together: the steps that run beside each other have ended when this returns; what they said comes one after the other.
together() {
    local name place status seconds
    wait
    for name in "$step_folder"/*.name; do
        place=${name%.name}
        read -r status seconds <"$place.result" || { status=killed seconds=0; }
        printf '\n== %s\n' "$(cat "$name")"
        cat "$place.log"
        ended "$(cat "$name")" "$status" "$seconds" "$place.log"
    done
    rm -rf "$step_folder"
    step_folder=
}

# with_python STEP NAME COMMAND...: `step` or `beside`, where there is python3.
with_python() {
    if command -v python3 >/dev/null; then "$@"; else left_out "$2" "there is no python3"; fi
}

# left_out NAME WHY: a step that cannot run here says so, in its place and at the end.
left_out() {
    printf '\n== %s: left out, %s\n' "$1" "$2"
    step_table+=("$(printf '%4s    %-46s %s' - "$1" "left out, $2")")
}

# finish WHAT: prints why steps failed, the table and one line, and ends the script.
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

# limited SECONDS COMMAND...: a command that hangs is a command that fails.
limited() {
    local seconds=$1
    shift
    timeout --foreground --kill-after=10 "$seconds" "$@"
}
