#!/usr/bin/env bash
# Sends one stream to 2 000 clients of a Hummingbird server, of which 50 stop reading: once with a place for the newest
# event for each client, once with an AsyncStream for each. Prints a verdict. Arguments are the program's: see --help.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/install.sh

need libatomic-ops-dev pkg-config
need_swift
swift build -c release --package-path Examples --product ticker >&2
# The options are those of the subcommand that runs without being named.
case ${1-} in -h | --help) set -- compare --help ;; esac
exec Examples/.build/release/ticker "$@"
