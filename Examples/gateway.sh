#!/usr/bin/env bash
# A gateway in front of a service that fails on purpose: starts both, asks over HTTP, sends SIGTERM, and prints a verdict.
# Arguments are the program's.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/install.sh
. scripts/lib/options.sh

# The options are those of the subcommand; one runs without being named.
case ${1-} in
serve) options=Serve ;;
upstream) options=Upstream ;;
*) options=Drive ;;
esac
program_options Examples/gateway.sh "Examples/Sources/gateway/$options.swift" "$@"

need libatomic-ops-dev pkg-config
need_swift
swift build -c release --package-path Examples --product gateway >&2
exec Examples/.build/release/gateway "$@"
