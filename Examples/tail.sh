#!/usr/bin/env bash
# Follows a growing, rotated log of a million lines, counts them by second and status in SQLite, in bounded memory, and
# compares the counts with the writer's. Prints a verdict. The arguments are those of the program.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/install.sh
. scripts/lib/options.sh

case ${1-} in
write) options=Write ;;
*) options=Main ;;
esac
program_options Examples/tail.sh "Examples/Sources/logtail/$options.swift" "$@"

need libatomic-ops-dev libsqlite3-dev pkg-config
need_swift
swift build -c release --package-path Examples --product logtail >&2
exec Examples/.build/release/logtail "$@"
