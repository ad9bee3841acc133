#!/usr/bin/env bash
# The rows of `scripts/compare-streams.sh --postgres`. Arguments: the program rx-postgres-bench, the number of messages
# and of rounds, and the seconds for which a snapshot is held, or 0. RX_POSTGRES_URL is the server.
set -uo pipefail
program=$1 messages=$2 rounds=$3 snapshot=$4
url=$RX_POSTGRES_URL
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

# The size of each table with its indexes and partitions, and of all tables.
sizes="SELECT coalesce(substring(relname FROM '^(messages|deliveries|advances)'), relname) AS name,
    sum(pg_total_relation_size(relid)) FROM pg_stat_user_tables WHERE schemaname = 'bench' GROUP BY 1
    UNION ALL SELECT 'all', sum(pg_total_relation_size(relid)) FROM pg_stat_user_tables WHERE schemaname = 'bench'"

# cpu: the processor time of the program's sessions, in hundredths of a second.
cpu() {
    local pid
    for pid in $(psql -qAtX "$url" -c "SELECT pid FROM pg_stat_activity WHERE application_name = 'rx-streams'"); do
        awk '{ print $14 + $15 }' "/proc/$pid/stat"
    done | awk '{ sum += $1 } END { print sum + 0 }'
}

if [ "$snapshot" != 0 ]; then
    # The phases before, during and after the snapshot have equal lengths. Each reports the median of its seconds
    # without the first five, and the largest size of each table. The server's processor time does not depend on other
    # work of the machine.
    "$program" "$url" bench $((snapshot * 3)) rounds >"$folder/rounds" &
    bench=$!
    begin=$SECONDS
    for phase in before held after; do
        if [ $phase = held ]; then
            psql -qAtX "$url" -c "BEGIN ISOLATION LEVEL REPEATABLE READ" -c "SELECT count(*) FROM pg_class" \
                -c "SELECT pg_sleep($snapshot)" -c COMMIT >/dev/null &
        fi
        begin=$((begin + snapshot))
        used=$(cpu) && echo "$phase $used" >>"$folder/cpu"
        while [ $SECONDS -lt $begin ] && kill -0 $bench 2>/dev/null; do
            psql -qAtX -F ' ' "$url" -c "$sizes" 2>/dev/null | sed "s/^/$phase /" >>"$folder/sizes"
            # After the program's end there are no sessions.
            now=$(cpu) && [ "$now" -lt "$used" ] || used=$now
            sleep 2
        done
        echo "$phase $used" >>"$folder/cpu"
    done
    wait $bench || exit 1
    awk -v span="$snapshot" '
        function median(from, to,    n, i, j, t, v) {
            n = 0
            for (i = from; i <= to; i++) v[++n] = rate[i]
            for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++) if (v[j] < v[i]) { t = v[i]; v[i] = v[j]; v[j] = t }
            return v[int((n + 1) / 2)]
        }
        FILENAME ~ /rounds$/ { rate[$2] = $3; sum[int(($2 - 1) / span)] += $3; next }
        FILENAME ~ /cpu$/ { used[$1] = $2 - used[$1]; next }
        { if (!($2 in seen)) { seen[$2] = 1; order[++tables] = $2 }
          if ($3 > most[$1, $2]) most[$1, $2] = $3 }
        END {
            printf "%-16s %12s %12s %12s %12s\n", "", "before", "held", "after", "held/before"
            a = median(6, span); b = median(span + 6, 2 * span); c = median(2 * span + 6, 3 * span)
            printf "%-16s %12d %12d %12d %12.2f\n", "rounds/s", a, b, c, b / a
            a = used["before"] * 10 / sum[0]; b = used["held"] * 10 / sum[1]; c = used["after"] * 10 / sum[2]
            printf "%-16s %12.2f %12.2f %12.2f %12.2f\n", "CPU ms/round", a, b, c, b / a
            for (i = 1; i <= tables; i++) {
                t = order[i]; a = most["before", t]; b = most["held", t]; c = most["after", t]
                printf "%-16s %12d %12d %12d %12.2f\n", t " KiB", a / 1024, b / 1024, c / 1024, a ? b / a : 0
            }
        }' "$folder/rounds" "$folder/cpu" "$folder/sizes"
    exit
fi

# The driver's own statements. pgbench sends no payload: the server makes it, which is a little less work.
filled() { echo "array_fill($1, ARRAY[$2])"; }
for batch in 1 256; do
    none=$(filled NULL::text $batch)
    payloads=$(filled "convert_to(repeat('x', 128), 'UTF8')" $batch)
    echo "SELECT * FROM bench.append('s', $(filled "'s'::text" $batch), $none, $none, $payloads)"
done >"$folder/publish"
sed -n 1p "$folder/publish" >"$folder/publish-1"
sed -n 2p "$folder/publish" >"$folder/publish-256"
cat >"$folder/handle-16" <<'SQL'
SELECT array_agg(at_position) FILTER (WHERE at_position IS NOT NULL) AS positions, coalesce(max(low), :low) AS low
    FROM bench.pull(:group, 7, 16, 30000000, :low, 15000000, false) \gset
SELECT bench.settle(array_fill(:group::bigint, ARRAY[16]), (:positions)::bigint[], array_fill(1::bigint, ARRAY[16]),
    array_fill(7::bigint, ARRAY[16]), array_fill(0::bigint, ARRAY[16]), array_fill(0::bigint, ARRAY[16]), 30000000)
    AS removed \gset
SQL

# theirs ROW COUNT BATCH: runs pgbench with one connection; prints as the program does.
theirs() {
    local rate
    rate=$(pgbench -n -M extended -c 1 -t $(($2 / $3)) -D low=0 -D "group=$group" -f "$folder/$1" "$url" \
        2>"$folder/errors" | sed -n 's/^tps = \([0-9.]*\) .*/\1/p')
    [ -n "$rate" ] || { cat "$folder/errors" >&2 && exit 1; }
    awk -v row="$1" -v count="$2" -v rate="$rate" -v batch="$3" 'BEGIN { print row, count, count / (rate * batch) }'
}

few=$((messages / 20 / 16 * 16)) many=$((messages / 256 * 256))
"$program" "$url" bench 0 none || exit 1
group=$(psql -qAtX "$url" -c "SELECT id FROM bench.groups WHERE name = 'g'")
for ((round = 0; round < rounds; round++)); do
    # Each side handles messages that both have published.
    for row in publish-1 publish-256 handle-16; do
        count=$many batch=${row#*-}
        [ $row != publish-1 ] || count=$few
        [ $row != handle-16 ] || count=$((messages / 2 / 256 * 256))
        theirs $row $count "$batch" | sed 's/^/theirs /' || exit 1
        "$program" "$url" bench $count $row | sed 's/^/ours /' || exit 1
    done
done >"$folder/results" || exit 1
awk '
    { rate = $3 / $4; if (!(($1, $2) in best)) { if (!($2 in seen)) { order[++rows] = $2; seen[$2] = 1 } }
      if (rate > best[$1, $2]) best[$1, $2] = rate }
    END {
        printf "%-14s %14s %20s %8s\n", "messages/s", "pgbench", "RxStreamsPostgreSQL", "share"
        for (row = 1; row <= rows; row++)
            printf "%-14s %14d %20d %8.2f\n", order[row], best["theirs", order[row]], best["ours", order[row]],
                best["ours", order[row]] / best["theirs", order[row]]
    }' "$folder/results"
echo
echo "latency in ms: the median, and the 99th percentile"
"$program" "$url" latency 5000 latency | sed 's/^latency-\([0-9]*\)/\1 messages\/s:/'
echo "memory in MiB with a slow worker on a stream of $((messages * 10)) messages"
"$program" "$url" memory $((messages * 10)) memory
