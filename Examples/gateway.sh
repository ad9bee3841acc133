#!/usr/bin/env bash
# Starts a gateway in front of a service that fails on purpose, sends HTTP requests, then SIGTERM, and prints a verdict.
# The arguments are those of the program.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/install.sh
. scripts/lib/options.sh

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
