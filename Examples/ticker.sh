#!/usr/bin/env bash
# Sends one stream to 2 000 clients of a Hummingbird server, of which 50 stop reading: once with a place for the newest
# event for each client, once with an AsyncStream for each. Prints a verdict. Arguments are the program's.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/install.sh
. scripts/lib/options.sh

# The options are those of the subcommand; one runs without being named.
case ${1-} in
serve) options=Serve ;;
watch) options=Watch ;;
*) options=Compare ;;
esac
program_options Examples/ticker.sh "Examples/Sources/ticker/$options.swift" "$@"

need libatomic-ops-dev pkg-config
need_swift
swift build -c release --package-path Examples --product ticker >&2
exec Examples/.build/release/ticker "$@"
