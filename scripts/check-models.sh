#!/usr/bin/env bash
# Checks the models of lock, gate, bag, opening, chain, job queue, pool, timer service and flow control (Tests/Models)
# exhaustively with spin, in small configurations. Each planted fault must be found. Installs spin. Runs one search per
# processor, each with at most 4 GiB. Takes a minute on two processors.
#
#   --all   also four configurations of 5 to 22 million states each
set -uo pipefail
cd "$(dirname "$0")/.." || exit
. scripts/lib/install.sh
. scripts/lib/options.sh
. scripts/lib/step.sh

all=false
case $* in
'') ;;
--all) all=true ;;
-h | --help) help_of scripts/check-models.sh && exit 0 ;;
*) refuse scripts/check-models.sh "takes only --all, not '$*'" ;;
esac

models=$PWD/Tests/Models
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# searched MODEL DEFINES...: runs a search. tcc compiles it in a twentieth of Clang's time; most searches are short.
searched() {
    local model=$1
    shift
    cp "$models"/*.pml "$models"/*.inc "$folder" && cd "$folder" || return 1
    spin -a "$@" "$model.pml" >spin.log 2>&1 && ${compiler-tcc} -w -DSAFETY -DCOLLAPSE -DMEMLIM=4096 -o pan pan.c || {
        cat spin.log >&2
        return 1
    }
    limited 600 ./pan -m200000 >pan.log || return 1
    ! grep -qE 'max search depth too small|out of memory|memory limit|Search not completed' pan.log || [ "$(errors)" != 0 ]
}

errors() {
    sed -n 's/.*errors: \([0-9]*\).*/\1/p' "$folder/pan.log"
}

holds() {
    (searched "$@") && [ "$(errors)" = 0 ] && sed -n 's/^ *\([0-9.e+]* states, stored\)/\1, no error/p' "$folder/pan.log" && return
    grep -E 'pan:|errors:|Search not completed' "$folder/pan.log" 2>/dev/null
    return 1
}

# A model that misses a planted fault proves nothing.
finds() {
    (searched "$@") && [ "$(errors)" = 1 ] && sed -n 's/^pan:1: \(.*\)/found: \1/p' "$folder/pan.log"
}

searches=()

# begin COMMAND MODEL DEFINES...: starts a search when a processor is free.
begin() {
    while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
    folder=$scratch/${#searches[@]}
    mkdir "$folder"
    searches+=("${*:2}")
    {
        "$@" >"$folder/said" 2>&1
        echo $? >"$folder/status"
    } &
}

result_of() {
    cat "$scratch/$1/said"
    return "$(cat "$scratch/$1/status")"
}

model() {
    begin holds "$@"
}

large() {
    ! $all || compiler='gcc -O1' begin holds "$@"
}

fault() {
    begin finds "$@"
}

need gcc spin tcc

model lock
model lock -DATOMIC -DNO_NAP
fault lock -DNO_NAP
fault lock -DATOMIC -DNO_NAP -DFAULT_NO_WAKE
fault lock -DATOMIC -DNO_NAP -DFAULT_SLEPT_TAKES_HELD

model gate
model gate -DCLOSE -DNEST
model gate -DCLOSE -DEMITTERS=3 -DEACH=1
model gate -DHAND_OVER=2 -DWAIT
model gate -DHAND_OVER -DCLOSE -DEACH=1
large gate -DHAND_OVER -DCLOSE
fault gate -DFAULT_TAKE_BEFORE_CLEAR
fault gate -DFAULT_SKIPPED_RMW
fault gate -DCLOSE -DFAULT_ANNOUNCE_LOSES_C
fault gate -DCLOSE -DNEST -DFAULT_OWNER_BEFORE_C
fault gate -DHAND_OVER -DWAIT -DFAULT_TAKE_UNOFFERED
fault gate -DHAND_OVER -DFAULT_TAKE_BACK_BLIND
fault gate -DHAND_OVER -DFAULT_TAKE_WITHOUT_Q
fault gate -DHAND_OVER -DCLOSE -DFAULT_TAKE_LOSES_C

model series
model series -DEACH=3 -DOWN=3
model series -DSELF_END
fault series -DFAULT_FOREIGN_NESTS
fault series -DFAULT_OWN_OVERTAKES
fault series -DSELF_END -DFAULT_END_OVERTAKES

model answers -DELEMENTS=2 -DANSWERS=3 -DOFFER
model answers -DELEMENTS=2 -DANSWERS=3 -DTHIRD=0
model answers -DGATES=3 -DTHIRD=1 -DANSWERS=3 -DOFFER
model answers -DGATES=3 -DELEMENTS=2 -DANSWERS=4 -DOFFER
fault answers -DELEMENTS=2 -DANSWERS=3 -DFAULT_SERVES_NESTED
fault answers -DELEMENTS=2 -DANSWERS=3 -DFAULT_ONE_LIMIT
fault answers -DGATES=3 -DTHIRD=1 -DFAULT_LEFT_IN_DELIVERY

model bag -DSUBSCRIBERS=1
model bag -DEMITTERS=1
model bag -DEND -DSUBSCRIBERS=1
model bag -DEND -DEMITTERS=1
large bag
large bag -DEND
model bag -DDISPOSE -DSUBSCRIBERS=1
model bag -DDISPOSE -DEMITTERS=1
model bag -DSILENT -DSUBSCRIBERS=1
model bag -DSILENT -DEMITTERS=1
model bag -DHAND_OVER -DWAIT -DSUBSCRIBERS=1
fault bag -DFAULT_NO_RMW
fault bag -DFAULT_TIDY_BEFORE_CLEAR
fault bag -DFAULT_LEAVE_AFTER_LOCK
fault bag -DHAND_OVER -DWAIT -DSUBSCRIBERS=1 -DFAULT_TAKE_LOSES_T
fault bag -DSILENT -DEMITTERS=1 -DFAULT_INSERT_UNSEEN

model opening -DNEST
model opening -DNEST -DSNAPSHOT=2
model opening -DREMOVE
model opening -DREMOVE -DNEST -DEMITTERS=1 -DSNAPSHOT=2
model opening -DDISPOSE
model opening -DEND -DREMOVE -DEMITTERS=1
model opening -DEND -DNEST -DEMITTERS=1
large opening -DEND -DNEST -DEMITTERS=1 -DSNAPSHOT=2
model opening -DSILENT
model opening -DSILENT -DNEST -DEMITTERS=1 -DSNAPSHOT=2
model opening -DSILENT -DREMOVE -DEMITTERS=1
model opening -DHAND_OVER -DREMOVE
fault opening -DNEST -DSNAPSHOT=2 -DFAULT_NEST_IN_LONG_SNAPSHOT
fault opening -DEND -DFAULT_TEARDOWN_KILLS_OPENING
fault opening -DREMOVE -DFAULT_RETIRE_OPENING

model halt -DTELL
model halt -DTELL -DDISPOSE
model halt -DADOPT -DDISPOSE
fault halt -DDISPOSE -DFAULT_DISPOSE_TAKES
fault halt -DDISPOSE -DFAULT_LOOKED_TOO_SOON
fault halt -DFAULT_FEED_FORGETS_HALTED
fault halt -DTELL -DFAULT_PUT_BACK_FORGETS_HALTED
fault halt -DADOPT -DFAULT_ADOPT_BEFORE_LIST
fault halt -DADOPT -DDISPOSE -DFAULT_LOOKED_BEFORE_TEARDOWNS
fault halt -DADOPT -DDISPOSE -DFAULT_LETS_CHAINS_GO
fault halt -DADOPT -DDISPOSE -DFAULT_RUNS_CHAINS_AGAIN

model jobs
model jobs -DCAPACITY=1
model jobs -DJOBS=1 -DEACH=3
fault jobs -DFAULT_LOOK_AT_TAKEN
fault jobs -DFAULT_ADD_TO_SEALED
fault jobs -DFAULT_SEAL_UNSEEN
fault jobs -DFAULT_IDLE_WITHOUT_LOOK

model dropping
model dropping -DMAKERS=3 -DEACH=1
fault dropping -DFAULT_CLOSE_BY_WAY_OF_IDLE

model pool -DBLOCK
model pool -DBLOCK -DMAX=3 -DEACH=2
model pool -DBLOCK -DREFUSE=2
model pool -DRELEASE -DREFUSE=1
model pool -DSHUTDOWN -DREFUSE=1
model pool -DSHUTDOWN -DDROP -DREFUSE=1
model pool -DSHUTDOWN -DRELEASE -DREFUSE=1
fault pool -DFAULT_NOBODY_JOINS
fault pool -DFAULT_WOKEN_LEAVES
fault pool -DREFUSE=1 -DFAULT_REFUSED_SEARCHES
fault pool -DBLOCK -DREFUSE=1 -DFAULT_LEAVES_OTHERS_ALONE
fault pool -DBLOCK -DREFUSE=1 -DFAULT_ASKS_AGAIN_ONLY_FOR_THE_FIRST
fault pool -DRELEASE -DFAULT_ENDING_FORGETS_WHO_IS_WOKEN
fault pool -DSHUTDOWN -DREFUSE=1 -DFAULT_STARTS_DURING_SHUTDOWN
fault pool -DSHUTDOWN -DDROP -DFAULT_RUNS_JOBS_WHILE_DROPPING

model timers
model timers -DREFUSE
model timers -DCANCEL -DROUNDS=1
model timers -DCLOSE -DROUNDS=1
fault timers -DFAULT_WAKES_UNCOUNTED
fault timers -DFAULT_PLANS_AFTER_THE_LOCK
fault timers -DFAULT_READS_WAKES_AFTER_THE_LOCK
fault timers -DREFUSE -DFAULT_STOPS_WHERE_ANOTHER_ASKS
fault timers -DCLOSE -DROUNDS=1 -DFAULT_CLOSE_DOES_NOT_WAIT

model park
model park -DHOLD
model park -DHOLD -DSELF
model park -DHOLD -DDISPOSE -DN=1 -DEACH=3
model park -DDISPOSE -DEACH=3
model park -DN=3 -DLOW=1 -DBATCH=2
fault park -DFAULT_COPY_WITHOUT_LOCK
fault park -DFAULT_COPY_OWN_VALUE
fault park -DFAULT_COUNT_AND_FULL_APART
fault park -DFAULT_LEAVE_WITHOUT_LOOK
fault park -DFAULT_PARK_WITHOUT_LOOK
fault park -DHOLD -DFAULT_TAKE_IN_TWO
fault park -DHOLD -DFAULT_ONE_BIT
fault park -DHOLD -DDISPOSE -DFAULT_PUT_BACK_FORGETS_DISPOSED
fault park -DHOLD -DDISPOSE -DFAULT_WAKE_AFTER_DISPOSE
fault park -DDISPOSE -DEACH=3 -DFAULT_ADD_IGNORES_GONE
fault park -DDISPOSE -DEACH=3 -DFAULT_DISPOSE_LEAVES_PARKED

model crowd
model crowd -DLIMIT=1
model crowd -DDISPOSE
model crowd -DLIMIT=1 -DDISPOSE
fault crowd -DLIMIT=1 -DFAULT_COUNTED_BEHIND
fault crowd -DFAULT_CLEARED_IN_TWO
fault crowd -DFAULT_PARKS_WITHOUT_LOOK

model inner
model inner -DSUBSCRIBED -DOWN
model inner -DSUBSCRIBED -DDISPOSE
model inner -DDUE -DPAUSES=3
fault inner -DFAULT_EDGE
fault inner -DFAULT_BORN_OPEN
fault inner -DFAULT_LOOK_BEFORE_INSERT
fault inner -DFAULT_FED_WITHOUT_LOOK
fault inner -DSUBSCRIBED -DFAULT_PUT_BACK_WITHOUT_LOOK
fault inner -DSUBSCRIBED -DFAULT_ROTA_LEAVES_AFTER_ONE
fault inner -DSUBSCRIBED -DPAUSES=2 -DFAULT_RESUMES_UNLOCKED
fault inner -DSUBSCRIBED -DDISPOSE -DFAULT_PUT_BACK_FORGETS_DISPOSED
fault inner -DDUE -DFAULT_TELLS_WHAT_IS_DUE

model send
model send -DCANCEL -DDISPOSE
model send -DSTAY -DCANCEL
model send -DSTAY -DDISPOSE
model send -DCALLBACK -DCANCEL
model send -DCALLBACK -DDISPOSE
fault send -DFAULT_PARKED_ALREADY
fault send -DSTAY -DCANCEL -DFAULT_CANCELLED_BEFORE
fault send -DCALLBACK -DFAULT_OPEN_THOUGH_TAKEN
fault send -DCALLBACK -DDISPOSE -DFAULT_CALLED_WHEN_OVER

wait
for number in "${!searches[@]}"; do step "${searches[number]}" result_of "$number"; done
finish "scripts/check-models.sh"
