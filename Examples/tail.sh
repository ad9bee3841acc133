#!/usr/bin/env bash
# Follows a log that is rotated while it grows, a million lines, and counts them by second and status in SQLite, in
# bounded memory; then compares the counts with what was written. Prints a verdict. Arguments are the program's.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/install.sh
. scripts/lib/options.sh

# The options are those of the subcommand; one runs without being named.
case ${1-} in
write) options=Write ;;
*) options=Main ;;
esac
program_options Examples/tail.sh "Examples/Sources/logtail/$options.swift" "$@"

need libatomic-ops-dev libsqlite3-dev pkg-config
need_swift
swift build -c release --package-path Examples --product logtail >&2
exec Examples/.build/release/logtail "$@"
