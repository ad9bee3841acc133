# Sourced by the scripts that build and test: short output here, all of it in a log file.

clock() {
    printf '%d:%02d' $(($1 / 60)) $(($1 % 60))
}

# built LOG COMMAND...: runs `swift build` with all output in LOG. Prints the progress every ten seconds, and each line
# that is not a step of the build, such as an error.
built() {
    local log=$1 begun=$SECONDS reported=$SECONDS line='' part state='' status out pid
    shift
    # This is not a coprocess, because bash would forget the descriptor of one that ends at once.
    exec {out}< <(exec "$@" 2>&1)
    pid=$!
    trap 'kill "$pid"; exit 130' INT TERM
    while true; do
        IFS= read -r -t 5 part <&"$out"
        status=$?
        line+=$part
        if [ $status = 0 ]; then
            printf '%s\n' "$line" >>"$log"
            if [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\ (.*) ]]; then
                state="step ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]}, ${BASH_REMATCH[3]}"
            else
                printf '%s\n' "$line"
            fi
            line=
        elif [ $status -le 128 ]; then
            break
        fi
        if [ $((SECONDS - reported)) -ge 10 ]; then
            printf '%6s  %s\n' "$(clock $((SECONDS - begun)))" "${state:-planning the build}"
            reported=$SECONDS
        fi
    done
    [ -z "$line" ] || printf '%s\n' "$line" | tee -a "$log"
    exec {out}<&-
    wait "$pid"
    status=$?
    trap - INT TERM
    return $status
}

# suites LOG: writes the output of `swift test` to LOG. Prints one line for each suite, each failure in full, reports of
# crashes and sanitizers, and the closing line. All suites run at once and most end late, so every 500th test is printed
# too.
suites() {
    tee -a "$1" | LC_ALL=C awk '
        # Symbols of Swift Testing: started (a rhombus), passed (a tick, or a bar if issues were expected), skipped (an
        # arrow).
        /^(\342\227\207|\342\236\234) / { is_note = 1; next }
        # An expected issue, and its indented details.
        /^\342\224\201 Test .* recorded a known issue / { is_known = 1; next }
        is_known && /^(\342\206\263|  |$)/ { next }
        { is_known = 0 }
        /^\342\234\224 Test case / { is_note = 1; next }
        /^\342(\234\224|\224\201) Test / && !/ Test run with / {
            is_note = 1
            if (++passed % 500 == 0) { print passed " tests have passed"; fflush() }
            next
        }
        /^Test (Case|Suite) .* (started at|passed)/ { is_note = 1; next }
        # The arguments of a test may have several lines, so an omitted line may continue.
        is_note && /" to .* (started|passed after .*)\.$/ { next }
        # Printed by `debug` in a row of the contract table.
        /^[^\342]*: contract -> (subscribed|isDisposed|Event )/ { next }
        /^(\342\206\263 T(esting Library Version|arget Platform): |$)/ { next }
        { is_note = 0; print; fflush() }'
}
