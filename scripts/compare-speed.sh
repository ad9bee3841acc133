#!/usr/bin/env bash
# Prints, as a table in Markdown, the cost of an element or a subscription here and with OpenCombine, with AsyncStream
# and swift-async-algorithms, and with closures written by hand, all in one process.
#
#     scripts/compare-speed.sh [--rounds N] [ROW...]
#
#   --rounds N   the number of rounds; the fastest counts (default: 100)
#   ROW          runs only these rows
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/install.sh
. scripts/lib/options.sh

case ${1-} in
-h | --help) help_of scripts/compare-speed.sh && exit 0 ;;
--rounds) [[ ${2-} =~ ^[1-9][0-9]{0,8}$ ]] || refuse scripts/compare-speed.sh "--rounds needs a number, not '${2-}'" ;;
-*) refuse scripts/compare-speed.sh "takes --rounds N and names of rows, not '$1'" ;;
esac

need libatomic-ops-dev pkg-config
need_swift
swift build -c release --package-path Tests/Benchmarks --product Rivals >&2
exec Tests/Benchmarks/.build/release/Rivals "$@"
