#!/usr/bin/env bash
# Tests the quick start as a new user starts it. Copies it into an empty folder with scripts/new-service.sh, builds it,
# and runs its tests. Starts it with a Prometheus on loopback, sends orders with wrk, first good ones, then ones whose
# payments fail, and sends SIGTERM under load.
#
# Each accepted order must be handled. Each query of the dashboard must return data from that Prometheus, and each alert
# rule must pass promtool. The probes must follow the service's state, and the inspector must show the pipeline. The
# container files must agree with the service and each other, and pass the schemas of Compose and Kubernetes.
#
#   --seconds N      the duration of each of the three loads, 2 to 600 (default: 5)
#   --viewer N       also measures the cost of an inspector viewer, for N minutes, 1 to 60: loads of 5 seconds without
#                    and with a viewer, in turns. Fails if the viewer certainly raises the 99th percentile of the
#                    latency by more than 5 % (the 90 % interval of the median ratio), or memory by more than 5 %
#   --build FOLDER   the build folder (default: a new one, which is deleted)
set -uo pipefail
cd "$(dirname "$0")/.." || exit
. scripts/lib/install.sh
. scripts/lib/options.sh
. scripts/lib/port.sh
. scripts/lib/step.sh
me=scripts/test-quickstart.sh

seconds=5 build='' minutes=0
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) help_of $me && exit 0 ;;
    --seconds)
        [[ ${2-} =~ ^[1-9][0-9]{0,2}$ ]] && [ "$2" -ge 2 ] && [ "$2" -le 600 ] ||
            refuse $me "--seconds takes a number from 2 to 600, not '${2-}'"
        seconds=$2
        ;;
    --viewer)
        [[ ${2-} =~ ^[1-9][0-9]?$ ]] && [ "$2" -le 60 ] || refuse $me "--viewer takes a number from 1 to 60, not '${2-}'"
        minutes=$2
        ;;
    --build)
        [ -n "${2-}" ] || refuse $me "--build takes a folder"
        build=$2
        ;;
    *) refuse $me "unknown argument '$1'; see --help" ;;
    esac
    shift 2
done

need curl libatomic-ops-dev pkg-config prometheus python3 wrk
need_swift

scratch=$(mktemp -d)
service=parcel-tracking
home=$scratch/$service
build=${build:-$scratch/build}
port=$(free_port)
prometheus_port=$(free_port)
address=http://127.0.0.1:$port

# in_background NAME COMMAND...: starts a server. Its output is in NAME.log, its process id in NAME.pid, and its exit
# status in NAME.status, because a step is a subshell, which cannot wait for the server.
in_background() {
    local name=$1
    shift
    {
        "$@" >"$scratch/$name.log" 2>&1 </dev/null &
        echo $! >"$scratch/$name.pid"
        wait $!
        echo $? >"$scratch/$name.status"
    } 2>/dev/null &
}

# Ends only this script's processes.
clean_up() {
    local file
    for file in "$scratch"/*.pid; do
        [ ! -e "$file" ] || [ -e "${file%.pid}.status" ] || kill -9 "$(cat "$file")" 2>/dev/null
    done
    wait
    rm -rf "$scratch"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

copied() {
    scripts/new-service.sh $service "$home" || return
    # The path of this checkout may contain the old name.
    ! grep -rn quickstart "$home" | grep -vF "$PWD" || { echo "FAILED: the old name is left" && return 1; }
}

built() {
    limited 2400 swift build -c release -Xswiftc -enable-testing --package-path "$home" --scratch-path "$build" --build-tests >"$scratch/build.log" 2>&1 &&
        return
    tail -n 40 "$scratch/build.log"
    return 1
}

tested() {
    limited 300 swift test -c release -Xswiftc -enable-testing --package-path "$home" --scratch-path "$build" --skip-build
}

# Programs for the schemas of Kubernetes and Compose, installed with pip in this checkout.
tools=(kubernetes-validate==1.37.0 check-jsonschema==0.39.0)
linters=$PWD/.build-quickstart/$(IFS=+ && echo "${tools[*]}")
linters_are_there() {
    [ -x "$linters/bin/kubernetes-validate" ] && [ -x "$linters/bin/check-jsonschema" ] && return
    # Debian's Python may lack ensurepip, which its module venv needs.
    python3 -c 'import ensurepip' 2>/dev/null || (need python3 python3-venv) || return
    rm -rf .build-quickstart
    limited 300 python3 -m venv "$linters" &&
        limited 600 "$linters/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 10 --only-binary :all: "${tools[@]}"
}

# No container is started. The package must resolve with only the files that the Dockerfile copies. To check this, a
# product that does not exist is built, and the error must name it.
containers() {
    "$linters/bin/python" scripts/lib/quickstart.py "$home" . --layout "$scratch/image" &&
        "$linters/bin/kubernetes-validate" --strict "$home/kubernetes/service.yaml" &&
        "$linters/bin/check-jsonschema" --builtin-schema vendor.compose-spec "$home/compose.yaml" || return
    RX_LINUX=$scratch/image/rx-linux limited 600 swift build -c release --package-path "$scratch/image/app" \
        --scratch-path "$build" --product no-such-product >"$scratch/image.log" 2>&1
    grep -qF "no product named 'no-such-product'" "$scratch/image.log" && return
    tail -n 20 "$scratch/image.log"
    echo "FAILED: the package does not resolve with the files that the Dockerfile copies"
    return 1
}

rules() {
    local alert
    for alert in $(sed -n 's/^ *- alert: //p' "$home/prometheus/alerts.yml"); do
        grep -A 2 "alertname: $alert\$" "$home/prometheus/alerts_test.yml" | grep -qF exp_labels && continue
        echo "FAILED: alerts_test.yml has no test in which $alert fires"
        return 1
    done
    promtool check rules "$home/prometheus/alerts.yml" && promtool check config "$home/prometheus/prometheus.yml" &&
        promtool test rules "$home/prometheus/alerts_test.yml"
}

answers() {
    local status
    status=$(curl -s -o "$scratch/body" -w '%{http_code}' --max-time 5 "$address$2")
    [ "$status" = "$1" ] && return
    echo "FAILED: $2 has status $status instead of $1: $(cat "$scratch/body")"
    return 1
}

soon() {
    local end=$((SECONDS + $1))
    shift
    until "$@" >"$scratch/soon" 2>&1; do
        [ $SECONDS -lt $end ] || { cat "$scratch/soon" && return 1; }
        sleep 0.2
    done
}

start() {
    mkdir "$scratch/prometheus"
    sed -e 's/_interval: 5s/_interval: 1s/' -e "s/$service:8080/127.0.0.1:$port/" "$home/prometheus/prometheus.yml" >"$scratch/prometheus/prometheus.yml"
    cp "$home/prometheus/alerts.yml" "$scratch/prometheus"
    in_background prometheus prometheus --config.file="$scratch/prometheus/prometheus.yml" \
        --storage.tsdb.path="$scratch/prometheus/data" --web.listen-address="127.0.0.1:$prometheus_port"
    INSPECTOR=1 PORT=$port in_background service "$build/release/$service"
}

scraped() {
    curl -s --max-time 5 "http://127.0.0.1:$prometheus_port/api/v1/targets" | python3 -c '
import json, sys
target = json.load(sys.stdin)["data"]["activeTargets"][0]
sys.exit(0 if target["health"] == "up" else "Prometheus cannot scrape: " + target["lastError"])'
}

# load SECONDS AMOUNT OUT: sends orders. Writes the numbers of answers 202, 503 and others, and the 99th percentile of
# the latency in microseconds.
load() {
    cat >"$scratch/orders.lua" <<'END'
local threads = {}
function setup(thread) table.insert(threads, thread) end
function init(arguments)
    accepted, refused, others = 0, 0, 0
    wrk.method = "POST"
    wrk.body = '{"id":7,"amount":' .. arguments[1] .. '}'
end
function response(status)
    if status == 202 then accepted = accepted + 1
    elseif status == 503 then refused = refused + 1
    else others = others + 1 end
end
function done(summary, latency)
    local sums = { accepted = 0, refused = 0, others = 0 }
    for _, thread in ipairs(threads) do
        for name, sum in pairs(sums) do sums[name] = sum + thread:get(name) end
    end
    print("answers " .. sums.accepted .. " " .. sums.refused .. " " .. sums.others .. " " .. math.floor(latency:percentile(99)))
end
END
    limited $(($1 + 30)) wrk -t 2 -c 32 -d "$1s" -s "$scratch/orders.lua" "$address/orders" -- "$2" 2>&1 | sed -n 's/^answers //p' >"$3"
}

started() {
    soon 20 answers 200 /health/started && answers 200 /health/ready && answers 200 /health/live || {
        cat "$scratch/service.log"
        return 1
    }
    answers 404 /health/other && answers 404 /other && soon 20 scraped
}

good_orders() {
    local accepted refused others
    load "$seconds" 42 "$scratch/good"
    read -r accepted refused others _ <"$scratch/good"
    echo "$accepted accepted, $refused refused, $others other answers"
    [ "$accepted" -gt 0 ] && [ "$others" = 0 ] || { echo "FAILED: no order was accepted, or an answer is neither 202 nor 503" && return 1; }
    curl -s -H 'Accept: application/openmetrics-text' "$address/metrics" >"$scratch/metrics"
    [ "$(tail -n 1 "$scratch/metrics")" = "# EOF" ] || { echo "FAILED: /metrics does not end with # EOF" && return 1; }
    echo "$(wc -l <"$scratch/metrics") lines of metrics"
}

degraded() {
    answers 200 /health/ready && grep -q '"state":"degraded"' "$scratch/body"
}

# The breaker opens, and the service must be degraded but ready.
failing_orders() {
    local accepted refused others
    (soon $((seconds + 5)) degraded && touch "$scratch/degraded") &
    load "$seconds" 5000 "$scratch/failing"
    wait $!
    read -r accepted refused others _ <"$scratch/failing"
    echo "$accepted accepted, $refused refused, $others other answers"
    [ -e "$scratch/degraded" ] || { echo "FAILED: the service was never degraded: $(cat "$scratch/body")" && return 1; }
}

# Sends the dashboard's queries like Grafana. Some have data only after failures.
queries() {
    python3 - "$home/grafana/dashboard.json" $service "http://127.0.0.1:$prometheus_port" <<'END'
import json, math, sys, time, urllib.parse, urllib.request

path, job, prometheus = sys.argv[1:]

def get(what):
    with urllib.request.urlopen(prometheus + what, timeout=10) as answer:
        return json.load(answer)["data"]

def has_data(query):
    rows = get("/api/v1/query?" + urllib.parse.urlencode({"query": query}))["result"]
    return any(not math.isnan(float(row["value"][1])) for row in rows)

panels = [panel for panel in json.load(open(path))["panels"] if "targets" in panel]
queries = [(panel["title"], target["expr"]) for panel in panels for target in panel["targets"]]
queries = [(title, query.replace("$job", job).replace("$__rate_interval", "30s")) for title, query in queries]
left = queries
end = time.monotonic() + 5
while left and time.monotonic() < end:
    left = [row for row in left if not has_data(row[1])]
    time.sleep(0.5 if left else 0)
for title, query in left:
    print(f"FAILED: the panel '{title}' has no data: {query}")
rules = [rule for group in get("/api/v1/rules")["groups"] for rule in group["rules"]]
for rule in rules:
    if rule["health"] != "ok":
        print(f"FAILED: the rule {rule['name']} is {rule['health']}: {rule.get('lastError')}")
print(f"{len(queries) - len(left)} of {len(queries)} queries return data; {len(rules)} rules are evaluated")
sys.exit(1 if left or not rules or any(rule["health"] != "ok" for rule in rules) else 0)
END
}

inspected() {
    answers 200 /inspector && grep -qi '<!doctype html' "$scratch/body" || { echo "FAILED: /inspector is no page" && return 1; }
    answers 200 /inspector/snapshot.json && grep -qF 'observe(on:)' "$scratch/body" || { echo "FAILED: no observe(on:) in the snapshot" && return 1; }
    curl -sN --max-time 3 "$address/inspector/events" >"$scratch/events"
    grep -qF 'observe(on:)' "$scratch/events" || { echo "FAILED: no observe(on:) in the events" && return 1; }
    echo "$(wc -c <"$scratch/body") bytes of a snapshot, $(grep -c '^data:' "$scratch/events") lines of events in 3 s"
}

# Requests the inspector's events. A browser would take processor time from the service.
view() {
    rm -f "$scratch"/viewer.*
    in_background viewer curl -sN "$address/inspector/events"
    soon 10 grep -q '^data:' "$scratch/viewer.log"
}

viewed() {
    local round side sides
    for ((round = 0; round < 6 * minutes; round++)); do
        # Other programs may slow the machine down, so the order alternates.
        sides=(without with)
        [ $((round % 2)) = 0 ] || sides=(with without)
        for side in "${sides[@]}"; do
            [ $side = without ] || view || { echo "FAILED: the inspector sends no events" && return 1; }
            load 5 42 "$scratch/viewed-$round-$side"
            if [ $side = with ]; then
                kill "$(cat "$scratch/viewer.pid")"
                soon 5 test -s "$scratch/viewer.status"
            fi
            echo "$side $(cat "$scratch/viewed-$round-$side") $(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$(cat "$scratch/service.pid")/status")" >>"$scratch/viewings"
        done
    done
    python3 - "$scratch/viewings" <<'END'
import math, statistics, sys

rows = [line.split() for line in open(sys.argv[1])]
if any(len(row) != 6 for row in rows):
    sys.exit(f"FAILED: a load has no result: {rows}")
latency = {side: [int(row[4]) for row in rows if row[0] == side] for side in ("without", "with")}
# One ratio per round. With a probability of 90 %, the true median lies between these two (order statistics).
ratios = sorted(b / a for a, b in zip(latency["without"], latency["with"]))
rank = max(0, round(len(ratios) / 2 - 0.82 * math.sqrt(len(ratios)) - 0.5))
least, most = ratios[rank], ratios[-1 - rank]
memory = [int(row[5]) for row in rows]
# Excludes the first quarter, in which caches fill and threads start.
quarter = max(1, len(memory) // 4)
before, after = statistics.median(memory[quarter:2 * quarter]), statistics.median(memory[-quarter:])
growth = after / before - 1
median = {side: statistics.median(values) / 1000 for side, values in latency.items()}
print(f"p99: {median['without']:.2f} ms without a viewer, {median['with']:.2f} ms with one, medians of {len(ratios)} loads each; "
      f"ratio {statistics.median(ratios):.3f}, 90 % interval {least:.3f} to {most:.3f}; "
      f"memory: {before / 1024:.1f} MiB, then {after / 1024:.1f} MiB ({growth:+.1%})")
if least > 1.05:
    print("FAILED: a viewer costs more than 5 % of the latency")
if growth > 0.05:
    print("FAILED: memory grows")
sys.exit(least > 1.05 or growth > 0.05)
END
}

stopped() {
    local listener loader begin status accepted refused others handled client_accepted=0 count file loads=0
    curl -sN --max-time $((seconds + 40)) "$address/receipts" >"$scratch/receipts" &
    listener=$!
    view
    sleep 2.5 # until the breaker has closed
    load $((seconds + 2)) 42 "$scratch/last" &
    loader=$!
    sleep "$seconds"
    begin=$(date +%s%N)
    kill -TERM "$(cat "$scratch/service.pid")"
    soon 30 test -s "$scratch/service.status" || { echo "FAILED: the service did not end within 30 s" && return 1; }
    status=$(cat "$scratch/service.status")
    echo "ended with status $status after $((($(date +%s%N) - begin) / 1000000)) ms: $(grep -o 'ended; .*' "$scratch/service.log")"
    wait "$loader"
    [ "$status" = 0 ] || { tail -n 20 "$scratch/service.log" && echo "FAILED: the status is $status" && return 1; }
    wait "$listener" || { echo "FAILED: the receipts did not end as a response does (curl's status $?)" && return 1; }
    soon 5 test -s "$scratch/viewer.status" && [ "$(cat "$scratch/viewer.status")" = 0 ] ||
        { echo "FAILED: the inspector's events did not end as a response does (curl's status $(cat "$scratch/viewer.status"))" && return 1; }
    echo "$(grep -c '^data: charged 42 for order 7$' "$scratch/receipts") receipts"
    grep -q '^data: charged 42 for order 7$' "$scratch/receipts" || { echo "FAILED: no receipt" && return 1; }

    read -r accepted handled < <(sed -n 's/.*ended; orders accepted: \([0-9]*\), handled: \([0-9]*\)$/\1 \2/p' "$scratch/service.log")
    for file in "$scratch"/{good,failing,last,viewed-*}; do
        [ -e "$file" ] || continue
        read -r count refused others _ <"$file"
        client_accepted=$((client_accepted + count))
        loads=$((loads + 1))
    done
    echo "clients: $client_accepted answers 202; service: $accepted accepted, $handled handled, $((accepted - handled)) lost"
    [ "$accepted" = "$handled" ] || { echo "FAILED: $((accepted - handled)) accepted orders are lost" && return 1; }
    # wrk does not count answers that arrive after its end: at most one for each of its 32 connections.
    [ "$client_accepted" -gt 0 ] && [ "$client_accepted" -le "$accepted" ] && [ "$accepted" -le $((client_accepted + 32 * loads)) ] ||
        { echo "FAILED: the clients' count and the service's differ" && return 1; }
}

# after STEP COMMAND...: runs a step if all before it have passed.
after() {
    [ $step_failed = 0 ] && step "$@"
}

after "copy (scripts/new-service.sh)" copied
after "build" built
after "its own tests" tested
if [ $step_failed != 0 ] || linters_are_there; then
    after "container files" containers
else
    left_out "container files" "pip cannot install what checks them"
fi
after "alert rules (promtool)" rules
[ $step_failed != 0 ] || start
after "start, with Prometheus" started
after "good orders" good_orders
after "orders whose payments fail" failing_orders
after "queries of the dashboard" queries
after "the inspector" inspected
[ "$minutes" = 0 ] || after "a viewer of the inspector, for $minutes min" viewed
after "SIGTERM under load" stopped
finish $me
