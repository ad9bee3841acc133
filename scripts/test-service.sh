#!/usr/bin/env bash
# Tests the service of the page "HTTP in, SSE out, SIGTERM" with a real server. First compares the page with the
# example. Loads the server with wrk and with clients that wait for their answer, connects clients of server-sent
# events, and sends SIGTERM under load, in both orders of its two services. Each accepted order must be handled, each
# event stream must end, and each process must exit with 0 in time.
#
# The arguments are those of the program:
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/install.sh
. scripts/lib/options.sh

program_options scripts/test-service.sh Examples/Sources/service/Drive.swift "$@"

page=Packages/rx-server/Sources/RxLifecycle/RxLifecycle.docc/HTTPInSSEOutSIGTERM.md
example=Examples/Sources/service/Service.swift
shown=$(awk '/^```swift$/ { shows = 1; next } /^```$/ && shows { exit } shows' "$page")
written=$(awk 'begun { print } /scripts\/test-service.sh compares/ { begun = 1; getline }' "$example")
if [ "$shown" != "$written" ]; then
    echo "scripts/test-service.sh FAILED: the first block of $page is not $example"
    exit 1
fi

need libatomic-ops-dev pkg-config wrk
need_swift
swift build -c release --package-path Examples --product service >&2
exec Examples/.build/release/service "$@"
