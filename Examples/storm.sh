#!/usr/bin/env bash
# Simulates a metastable failure: a service that is slow for a moment never recovers under plain retries, and recovers
# with a retry budget. Prints a verdict and, without arguments, the documentation's plot. The arguments are those of the
# program.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/install.sh
. scripts/lib/options.sh

program_options Examples/storm.sh Examples/Sources/storm/Main.swift "$@"

need libatomic-ops-dev pkg-config
need_swift
swift build --package-path Examples --product storm >&2
[ $# -gt 0 ] || set -- --plot Sources/RxResilience/RxResilience.docc/Resources
exec Examples/.build/debug/storm "$@"
