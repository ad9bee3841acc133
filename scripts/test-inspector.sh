#!/usr/bin/env bash
# Tests the page of RxInspector in headless Chromium with a program of known subscriptions: the page must show its
# nodes, a paused source, a leak, an error, a stall and 5 000 subscriptions. It must also save a recording and open it
# again. At a width of 390 pixels nothing may be cut off. Takes about a minute without the build.
#
#   --pictures FOLDER   also writes screenshots, light and dark, wide and narrow
#   --cost SECONDS      also measures a viewer's cost, in periods of this length with and without a viewer
#   --skip-build        uses the existing build
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. scripts/lib/install.sh
. scripts/lib/options.sh
. scripts/lib/packages.sh
. scripts/lib/step.sh
me=scripts/test-inspector.sh

pictures='' cost='' skip=false
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) help_of $me && exit 0 ;;
    --pictures)
        [ $# -gt 1 ] || refuse $me "--pictures takes a folder"
        pictures=$2
        shift
        ;;
    --cost)
        [[ ${2-} =~ ^[1-9][0-9]*$ ]] || refuse $me "--cost takes a number of seconds"
        cost=$2
        shift
        ;;
    --skip-build) skip=true ;;
    *) refuse $me "unknown option '$1'; see --help" ;;
    esac
    shift
done

need libatomic-ops-dev pkg-config python3 chromium
need_swift
# The cost is that of a release build.
build=(--package-path Packages/rx-server "${packages_build[@]}" --product rx-inspector-fixture)
[ -z "$cost" ] || build+=(-c release)
$skip || limited 1200 swift build "${build[@]}" >&2 || exit 1
folder=$(swift build "${build[@]}" --show-bin-path) || exit 1
limited 900 python3 scripts/lib/inspector.py "$folder/rx-inspector-fixture" ${pictures:+--pictures "$pictures"} ${cost:+--cost "$cost"}
