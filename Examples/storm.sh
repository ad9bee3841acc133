#!/usr/bin/env bash
# Shows the metastable storm: a service that is slow for a moment never comes back under plain retries, and does under a
# budget. Prints a verdict. Without arguments it draws the documentation's plot anew; arguments are the program's.
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
