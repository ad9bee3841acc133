#!/usr/bin/env bash
# Injects faults into real processes. Several rx-orders workers publish and charge orders while
#
#   - every 5 seconds, a worker is killed (SIGKILL) and restarted at once, except the last one, which is measured
#   - the server is killed from time to time and restarted on the same store; with SQLite, all workers except the last
#     are killed instead
#   - the server, or a worker, is stopped (SIGSTOP) for some seconds
#   - with --cut, the server's network is down for some seconds
#   - with --full, the disk of the server's store is full for some seconds, and the server is then restarted
#   - with PostgreSQL, every 3 seconds a session is terminated, preferably in its commit; for 4 seconds, the tables of a
#     group are locked; for 4 seconds, no connection is free; the server's clock is set back by 20 minutes
#   - one worker receives SIGTERM, must finish the orders in progress, and is restarted
#   - the API takes 650 ms for each call for some time, then fails for some time
#
# Passes if published = handled + dead letters, no order is lost or charged twice, all workers exit in time after
# SIGTERM, and memory stays flat. With PostgreSQL, the transaction that acknowledges an order must also charge it in the
# database, exactly once. The report has a page with plots (index.html).
#
#   --minutes N          the duration in minutes (default: 10)
#   --seconds N          the duration in seconds, at least 15
#   --orders N           the number of orders (default: 100000)
#   --workers N          the number of workers, at least 2 (default: 3)
#   --broker WHICH       nats (the default), postgres or sqlite
#   --server VERSION     the NATS server, as in scripts/broker.sh
#   --cut                runs the server in a network namespace and cuts its network; needs root and NATS
#   --full               puts its store on a small file system in memory and fills it; needs root
#   --report FOLDER      the report folder; its contents are deleted (default: chaos-report)
#   --binary FILE        an existing rx-orders, instead of a release build
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. scripts/lib/install.sh
. scripts/lib/options.sh
. scripts/lib/port.sh
me=scripts/chaos.sh

seconds=600 orders=100000 workers=3 broker=nats server=debian report=chaos-report binary='' cut='' full=''
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) help_of $me && exit 0 ;;
    --minutes | --seconds | --orders | --workers | --broker | --server | --report | --binary)
        [ $# -gt 1 ] || refuse $me "$1 takes a value"
        case $1 in
        --minutes | --seconds | --orders | --workers)
            [[ $2 =~ ^[1-9][0-9]{0,7}$ ]] || refuse $me "$1 takes a number, not '$2'" ;;
        esac
        case $1 in
        --minutes) seconds=$(($2 * 60)) ;;
        --seconds) seconds=$2 ;;
        --orders) orders=$2 ;;
        --workers) workers=$2 ;;
        --broker) broker=$2 ;;
        --server) server=$2 ;;
        --report) report=$2 ;;
        --binary) binary=$2 ;;
        esac
        shift 2
        ;;
    --cut) cut=$((RANDOM % 256)) && shift ;;
    --full) full=1 && shift ;;
    *) refuse $me "unknown option '$1'; see --help" ;;
    esac
done
[ -z "$cut$full" ] || [ "$(id -u)" = 0 ] || refuse $me "--cut and --full need root"
[ "$seconds" -ge 15 ] || refuse $me "takes at least 15 seconds"
[ "$workers" -ge 2 ] || refuse $me "--workers takes at least 2"
[ -z "$cut" ] || [ $broker = nats ] || refuse $me "--cut needs --broker nats"
case $broker in nats | postgres | sqlite) ;; *) refuse $me "--broker takes nats, postgres or sqlite, not '$broker'" ;; esac
[ -n "$report" ] || refuse $me "--report takes a folder"
if [ -e "$report" ] && [ ! -e "$report/checks.tsv" ] && [ -n "$(ls -A "$report" 2>/dev/null)" ]; then
    refuse $me "--report: '$report' contains files that are not a report"
fi

if [ -z "$binary" ]; then
    need_swift
    need libatomic-ops-dev libpq-dev libsqlite3-dev pkg-config
    echo "building rx-orders ..."
    build=(-c release --package-path Packages/rx-streams --product rx-orders)
    swift build "${build[@]}" >/dev/null || exit 1
    binary=$(swift build "${build[@]}" --show-bin-path)/rx-orders
fi
[ -x "$binary" ] || refuse $me "--binary: '$binary' is not an executable file"

rm -rf "$report"
mkdir -p "$report/ledgers" || exit 1
report=$(cd "$report" && pwd)
touch "$report"/{marks.txt,memory.tsv,checks.tsv}

drain=10
api=
publisher=
watcher=
pids=()
held=()
clock_checks=()
began=()
nats_port=
postgres_port=

now() { date +%s.%3N; }
mark() { echo "$(now) $*" >>"$report/marks.txt"; }
check() { printf '%s\t%s\n' "$1" "$2" >>"$report/checks.tsv"; }

# slain PID: kills a process without the shell's message.
slain() { { kill -9 "$1" && wait "$1"; } 2>/dev/null || true; }

# Prints the server's process ids, the main process first.
broker_pids() {
    local first
    if [ $broker = nats ]; then
        cat ".build-broker/$nats_port/pid" 2>/dev/null
    else
        first=$(head -n 1 "$store"/rx-postgres-*/data/postmaster.pid 2>/dev/null) && echo "$first" && pgrep -P "$first"
    fi
}

as_server() {
    local pids
    mapfile -t pids < <(broker_pids)
    [ ${#pids[@]} = 0 ] || kill "-$1" "${pids[@]}" 2>/dev/null
}

sql() {
    local command commands=()
    for command in "$@"; do commands+=(-c "$command"); done
    PGCONNECT_TIMEOUT=2 psql -qAtX "$at" "${commands[@]}" >/dev/null 2>&1
}

# Prefers a session in its commit, so that the worker cannot determine the outcome.
terminate_session() {
    sql "SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity
        WHERE application_name = 'rx-streams' ORDER BY state = 'active' AND query = 'COMMIT' DESC, random() LIMIT 1) s"
}

# The client sleeps, because setting the server's clock back would prolong a pg_sleep.
hold_lock() {
    sql BEGIN "SET LOCAL lock_timeout = '2s'" "LOCK TABLE rx_streams.deliveries, rx_streams.held" '\! sleep 4' &
    held+=($!)
}

hold_connections() {
    for _ in $(seq 1 100); do
        sql "SELECT 1" '\! sleep 4' &
        held+=($!)
    done
}

set_clock_back() {
    behind=$((behind + 1200))
    echo "-${behind}s" >"$clock.new" && mv "$clock.new" "$clock"
    check_clock $behind &
    clock_checks+=($!)
}

# check_clock SECONDS: waits until the server's clock is SECONDS behind. Faults may interrupt the server.
check_clock() {
    local time
    for _ in $(seq 1 60); do
        time=$(PGCONNECT_TIMEOUT=2 timeout 10 psql -qAtX "$at" -c "SELECT extract(epoch FROM clock_timestamp())::bigint" 2>/dev/null)
        [ -z "$time" ] || [ $(($(date +%s) - time)) -lt $(($1 - 60)) ] || return
        sleep 0.5
    done
    check failed "the server's clock was not set back by $1 s"
}

# A killed process loses no data that the system has accepted, so --sync-always is unnecessary.
start_broker() {
    scripts/broker.sh start --version "$server" --port "$nats_port" --store "$store/nats" ${cut:+--namespace $cut} \
        >>"$report/broker.log" 2>&1
}

restart_broker() {
    if [ $broker = postgres ]; then
        scripts/postgres.sh kill --port "$postgres_port" >>"$report/broker.log" 2>&1
        sleep 1
        scripts/postgres.sh restart --port "$postgres_port" >>"$report/broker.log" 2>&1
    else
        as_server KILL
        sleep 1
        start_broker
    fi || check failed "the server did not start again"
}

link() { ip link set "rx-$cut" "$1"; }

make_network() {
    ip netns add "rx-$cut" && ip link add "rx-$cut" type veth peer name server netns "rx-$cut" &&
        ip addr add "10.213.$cut.1/30" dev "rx-$cut" && link up &&
        ip -n "rx-$cut" addr add "10.213.$cut.2/30" dev server && ip -n "rx-$cut" link set server up
}

# Just large enough for the orders and their settlements.
make_store() {
    local size=$((64 + orders / 500))
    [ $broker != postgres ] || size=$((512 + orders / 100))
    mkdir -p "$store" && mount -t tmpfs -o "size=${size}m" rx-chaos "$store"
}

fill_store() { dd if=/dev/zero of="$store/filler" bs=4k status=none 2>/dev/null; }

# `began` is the length of the worker's log before the start.
start_worker() {
    began[$1]=$(stat -c %s "$report/worker-$1.log" 2>/dev/null || echo 0)
    "$binary" work --broker "$at" --api "127.0.0.1:$port" --ledgers "$report/ledgers" --drain $drain \
        >>"$report/worker-$1.log" 2>&1 &
    pids[$1]=$!
}

# drained WORKER WHEN: sends SIGTERM; the worker must finish the orders in progress.
drained() {
    local begin status
    # A worker that has just started does not handle signals yet.
    for _ in $(seq 1 300); do
        tail -c "+$((began[$1] + 1))" "$report/worker-$1.log" 2>/dev/null | grep -q '"event":"working"' && break
        sleep 0.1
    done
    begin=$(date +%s%N)
    kill -TERM "${pids[$1]}" 2>/dev/null
    wait "${pids[$1]}" 2>/dev/null
    status=$?
    local took=$((($(date +%s%N) - begin) / 1000000))
    if [ $status = 0 ] && [ $took -le $(((drain + 2) * 1000)) ]; then
        check ok "worker $1 received SIGTERM $2, and finished after $took ms"
    else
        check failed "worker $1 received SIGTERM $2, and ended with $status after $took ms"
    fi
}

cleanup() {
    trap - EXIT
    local pid
    for pid in "${pids[@]}" $api $publisher $watcher "${held[@]}" "${clock_checks[@]}"; do
        kill -CONT "$pid" 2>/dev/null
        slain "$pid"
    done
    [ -z "$nats_port$postgres_port" ] || as_server CONT
    [ -z "$nats_port" ] || scripts/broker.sh stop --port "$nats_port" >/dev/null 2>&1
    [ -z "$postgres_port" ] || scripts/postgres.sh stop --port "$postgres_port" >/dev/null 2>&1
    [ -z "$cut" ] || ip netns del "rx-$cut" 2>/dev/null
    [ -z "$full" ] || umount -l "$store" 2>/dev/null
}
trap cleanup EXIT
trap 'exit 130' INT TERM

store=$report/store clock=$report/clock behind=0
[ -z "$cut" ] || { need iproute2 && make_network; } || exit 1
[ -z "$full" ] || make_store || exit 1
if [ $broker = nats ]; then
    for _ in 1 2 3 4 5; do
        nats_port=$((20000 + RANDOM % 10000))
        start_broker && break
        nats_port=
    done
    [ -n "$nats_port" ] || { tail -n 3 "$report/broker.log" >&2 && exit 1; }
    at=nats://$([ -n "$cut" ] && echo "10.213.$cut.2" || echo 127.0.0.1):$nats_port
elif [ $broker = postgres ]; then
    mkdir -p "$store"
    postgres_port=$(free_port) || exit 1
    echo "+0s" >"$clock"
    at=$(scripts/postgres.sh start --port "$postgres_port" --store "$store" --clock "$clock") || exit 1
else
    mkdir -p "$store"
    at=$store/orders.sqlite
fi

"$binary" api --port-file "$report/port" --marks "$report/marks.txt" >"$report/api.log" 2>&1 &
api=$!
for _ in $(seq 1 100); do [ -s "$report/port" ] && break || sleep 0.1; done
port=$(cat "$report/port" 2>/dev/null) || { echo "the API did not start; see $report/api.log" >&2 && exit 1; }

for ((i = 1; i <= workers; i++)); do start_worker $i; done
rate=$((orders * 4 / (seconds * 3) + 1))
"$binary" publish --broker "$at" --count "$orders" --rate $rate >"$report/publish.log" 2>&1 &
publisher=$!
"$binary" watch --broker "$at" --count "$orders" --timeout $((seconds * 2 + 120)) >"$report/watch.tsv" 2>"$report/watch.log" &
watcher=$!
echo "$orders orders, $rate a second, $workers workers, $broker, $seconds s"

# Records the memory of the largest worker, and restarts a worker that has exited unexpectedly.
memory() {
    local most=0 size i
    for ((i = 1; i <= workers; i++)); do
        size=$(awk '/^VmRSS:/ { print $2 }' "/proc/${pids[$i]}/status" 2>/dev/null)
        if [ -z "$size" ]; then
            wait "${pids[$i]}" 2>/dev/null
            check failed "worker $i ended by itself with $?"
            start_worker $i
        elif [ "$size" -gt $most ]; then
            most=$size
        fi
    done
    printf '%s\t%s\n' "$(now)" $most >>"$report/memory.tsv"
}

resume() {
    [ "$stopped" != broker ] || as_server CONT
    [ "$stopped" = broker ] || kill -CONT "${pids[$workers]}" 2>/dev/null
    stopped=
}

often=$((seconds < 135 ? seconds / 3 : 45))
next_kill=1 stopped='' stopped_until=0 cut_until=0 full_until=0
begin=$SECONDS
for ((tick = 1; SECONDS - begin < seconds; tick++)); do
    sleep 1
    memory
    elapsed=$((SECONDS - begin))
    if [ -n "$stopped" ] && [ $elapsed -ge $stopped_until ]; then resume; fi
    if [ $cut_until != 0 ] && [ $elapsed -ge $cut_until ]; then
        link up
        cut_until=0
    fi
    if [ $full_until != 0 ] && [ $elapsed -ge $full_until ]; then
        rm -f "$store/filler"
        # After a failed write, the server stores no messages until a restart.
        [ $broker = sqlite ] || restart_broker
        full_until=0
    fi
    if [ -n "$cut" ] && [ $((tick % often)) = $((often / 4)) ]; then
        mark "cut broker off"
        link down
        cut_until=$((elapsed + often / 8 + 1))
    fi
    if [ -n "$full" ] && [ $((tick % often)) = $((often * 2 / 3)) ]; then
        mark "fill the disk"
        fill_store
        full_until=$((elapsed + often / 8 + 1))
    fi
    if [ $broker = postgres ] && [ -z "$stopped" ]; then
        if [ $((tick % 3)) = 0 ]; then
            mark "terminate a session"
            terminate_session &
            held+=($!)
        fi
        if [ $((tick % often)) = $((often / 4)) ]; then
            mark "lock the tables of the groups"
            hold_lock
        fi
        if [ $((tick % often)) = $((often * 2 / 5)) ]; then
            mark "set the clock back"
            set_clock_back
        fi
        if [ $((tick % often)) = $((often * 3 / 4)) ]; then
            mark "connect until no connection is free"
            hold_connections
        fi
    fi
    if [ $((tick % 5)) = 0 ]; then
        mark "kill worker $next_kill"
        slain "${pids[$next_kill]}"
        start_worker $next_kill
        next_kill=$((next_kill % (workers - 1) + 1))
    fi
    if [ $((tick % often)) = $((often / 2)) ] && [ -z "$stopped" ]; then
        if [ $broker != sqlite ]; then
            mark "kill broker"
            restart_broker
        else
            mark "kill all workers but the last"
            for ((i = 1; i < workers; i++)); do slain "${pids[$i]}"; start_worker $i; done
        fi
    fi
    if [ $((tick % often)) = $((often - 2)) ] && [ -z "$stopped" ]; then
        stopped=$([ $broker = sqlite ] && echo "worker $workers" || echo broker)
        mark "stop $stopped"
        [ "$stopped" != broker ] || as_server STOP
        [ "$stopped" = broker ] || kill -STOP "${pids[$workers]}" 2>/dev/null
        stopped_until=$((elapsed + 4))
    fi
    if [ $tick = $((seconds / 2 + 1)) ]; then
        [ -z "$stopped" ] || resume
        mark "ask worker 1 to go"
        drained 1 "in the midst of it"
        start_worker 1
    fi
done
[ -z "$stopped" ] || resume

[ $cut_until = 0 ] || link up
[ $full_until = 0 ] || { rm -f "$store/filler" && { [ $broker = sqlite ] || restart_broker; }; }

while kill -0 "$watcher" 2>/dev/null; do
    sleep 1
    memory
done
# A server that is killed after the last settlements loses them, and delivers their orders again.
"$binary" watch --broker "$at" --count "$orders" --timeout 120 >/dev/null 2>>"$report/watch.log" ||
    check failed "the orders redelivered after the last kill were not settled in time"
for pid in "${clock_checks[@]}"; do wait "$pid"; done
clock_checks=()
wait "$publisher" && check ok "the publisher has published all orders" || check failed "the publisher ended with $?"
wait "$watcher" && check ok "all orders were settled in time" || check failed "not all orders were settled in time"
publisher='' watcher=''
for ((i = 1; i <= workers; i++)); do drained $i "at the end"; done
pids=()
kill -TERM "$api" 2>/dev/null
wait "$api" 2>/dev/null
api=

"$binary" verify --broker "$at" --ledgers "$report/ledgers" --count "$orders" --page "$report"
status=$?
echo "$report/index.html"
exit $status
