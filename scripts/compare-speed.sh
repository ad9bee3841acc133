#!/usr/bin/env bash
# Prints, as a table in Markdown, what an element or a subscription costs here and with what a user would take
# instead: OpenCombine, AsyncStream with swift-async-algorithms, and closures by hand. All of it runs in one process;
# of 100 rounds the fastest counts. Takes names of rows, to run these only, after `--rounds N`, for another number of
# rounds.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/install.sh
. scripts/lib/options.sh

case ${1-} in
-h | --help) help_of scripts/compare-speed.sh && exit 0 ;;
--rounds) [[ ${2-} =~ ^[1-9][0-9]{0,8}$ ]] || refuse scripts/compare-speed.sh "--rounds wants a number, not '${2-}'" ;;
-*) refuse scripts/compare-speed.sh "takes --rounds N and names of rows, not '$1'" ;;
esac

need libatomic-ops-dev pkg-config
need_swift
swift build -c release --package-path Tests/Benchmarks --product Rivals >&2
exec Tests/Benchmarks/.build/release/Rivals "$@"
