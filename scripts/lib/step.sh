# Sourced by scripts that run one step after the other: all of them run, the failed ones are named at the end, with the time of each.

step_table=()
step_failed=0

# step NAME COMMAND...: runs the command as a step; a failure is remembered and does not end the script.
step() {
    local name=$1 begin=$SECONDS result=passed
    shift
    printf '\n== %s\n' "$name"
    "$@" </dev/null || { result="FAILED (exit $?)" && step_failed=1; }
    step_table+=("$(printf '%4d s  %-46s %s' $((SECONDS - begin)) "$name" "$result")")
}

# left_out NAME WHY: a step that cannot run here says so, in its place and at the end.
left_out() {
    printf '\n== %s: left out, %s\n' "$1" "$2"
    step_table+=("$(printf '%4s    %-46s %s' - "$1" "left out, $2")")
}

# finish WHAT: prints the table and one line, and ends the script.
finish() {
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
