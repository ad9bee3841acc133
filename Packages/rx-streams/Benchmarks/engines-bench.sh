#!/usr/bin/env bash
# The rows of `scripts/compare-streams.sh --engines`. Arguments: the program rx-postgres-bench, the number of messages
# and of rounds. The servers are RX_POSTGRES_URL and RX_NATS_URL.
set -uo pipefail
program=$1 messages=$2 rounds=$3
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
engines=(SQLite PostgreSQL NATS)

# at ENGINE ROUND: prints the address.
at() {
    case $1 in
    SQLite) echo "$folder/$2.sqlite" ;;
    PostgreSQL) echo "$RX_POSTGRES_URL" ;;
    NATS) echo "$RX_NATS_URL" ;;
    esac
}

few=$((messages / 20)) many=$((messages / 256 * 256))
for ((round = 0; round < rounds; round++)); do
    for engine in "${engines[@]}"; do
        for rows in "$few publish-1" "$many publish-256,handle-16"; do
            # shellcheck disable=SC2086
            "$program" "$(at "$engine" $round)" "bench_$round" $rows | sed "s/^/$engine /" || exit 1
        done
    done
done >"$folder/results" || exit 1
for engine in "${engines[@]}"; do
    "$program" "$(at "$engine" latency)" latency 5000 latency | sed "s/^/$engine /" || exit 1
    "$program" "$(at "$engine" memory)" memory $((messages * 10)) memory | sed "s/^/$engine /" || exit 1
done >"$folder/more" || exit 1
awk '
    function put(row, engine, what) {
        if (!(row in seen)) { seen[row] = 1; order[++rows] = row }
        cell[row, engine] = what
    }
    FILENAME ~ /results$/ {
        rate = $3 / $4
        if (rate > best[$1, $2]) { best[$1, $2] = rate; put($2 " in messages/s", $1, sprintf("%d", rate)) }
        next
    }
    $2 ~ /^latency/ { put($2 " in ms", $1, $3 " / " $4) }
    $2 == "memory" { put("memory in MiB", $1, $3) }
    END {
        printf "%-28s %16s %16s %16s\n", "", "SQLite", "PostgreSQL", "NATS"
        for (i = 1; i <= rows; i++)
            printf "%-28s %16s %16s %16s\n", order[i], cell[order[i], "SQLite"], cell[order[i], "PostgreSQL"],
                cell[order[i], "NATS"]
    }' "$folder/results" "$folder/more"
