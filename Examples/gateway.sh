#!/usr/bin/env bash
# A gateway in front of a service that fails on purpose: starts both, asks over HTTP, sends SIGTERM, and prints a verdict.
# Arguments are the program's: see --help.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/install.sh

need libatomic-ops-dev pkg-config
need_swift
swift build -c release --package-path Examples --product gateway >&2
# The options are those of the subcommand that runs without being named.
case ${1-} in -h | --help) set -- drive --help ;; esac
exec Examples/.build/release/gateway "$@"
