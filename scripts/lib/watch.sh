# Sourced by the scripts that run tests.

# watched SECONDS STILL COMMAND...: runs `swift test` or the like. Kills it after SECONDS, or after STILL seconds
# without output once tests have started, and lists the tests that have not ended.
watched() {
    local seconds=$1 still=$2 line name out pid status has_begun=
    local -A running=()
    shift 2
    coproc tests { exec timeout --kill-after=10 "$seconds" "$@" 2>&1; }
    # shellcheck disable=SC2154  # a coprocess sets it
    pid=$tests_PID
    exec {out}<&"${tests[0]}"
    trap 'kill "$pid"; exit 130' INT TERM
    while true; do
        IFS= read -r -t "$([ "$has_begun" ] && echo "$still" || echo "$seconds")" line <&"$out"
        status=$?
        if [ $status -gt 128 ]; then
            echo "watched: no output for $still s; these tests have not ended:"
            for name in "${!running[@]}"; do [ "${running[$name]}" -le 0 ] || echo "  $name"; done
            kill "$pid"
            break
        fi
        [ $status = 0 ] || break
        printf '%s\n' "$line"
        if [[ $line =~ ^[^\ ]*\ Test\ (.*)\ started\.$ || $line =~ ^Test\ Case\ (.*)\ started\ at\  ]]; then
            name=${BASH_REMATCH[1]}
            has_begun=1
            [ "$name" = run ] || running[$name]=$((${running[$name]-0} + 1))
        elif [[ $line =~ ^[^\ ]*\ Test\ (.*)\ (passed|failed)\ after\  || $line =~ ^Test\ Case\ (.*)\ (passed|failed)\ \( ]]; then
            name=${BASH_REMATCH[1]}
            running[$name]=$((${running[$name]-0} - 1))
        fi
    done
    exec {out}<&-
    wait "$pid"
    status=$?
    trap - INT TERM
    return $status
}
