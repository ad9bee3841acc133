#!/usr/bin/env bash
# Follows a log that is rotated while it grows, a million lines, and counts them by second and status in SQLite, in
# bounded memory; then compares the counts with what was written. Prints a verdict. Arguments are the program's: see
# --help.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/install.sh

need libatomic-ops-dev libsqlite3-dev pkg-config
need_swift
swift build -c release --package-path Examples --product logtail >&2
# The options are those of the subcommand that runs without being named.
case ${1-} in -h | --help) set -- run --help ;; esac
exec Examples/.build/release/logtail "$@"
