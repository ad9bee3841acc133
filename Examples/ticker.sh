#!/usr/bin/env bash
# Sends one stream to 2 000 clients of a Hummingbird server, 50 of which stop reading: first with a buffer of the newest
# event for each client, then with an AsyncStream. Prints a verdict. The arguments are those of the program.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/install.sh
. scripts/lib/options.sh

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
