#!/usr/bin/env bash
# scripts/new-service.sh copies the quick start under a new name, and writes nothing after wrong arguments.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
here=$PWD
failed=0

refused() {
    local words=$1 said got
    shift
    said=$(scripts/new-service.sh "$@" 2>&1)
    got=$?
    [ $got = 2 ] && [[ $said == *"$words"* ]] && [ "$(wc -l <<<"$said")" = 1 ] && return
    printf 'FAILED: %s: got status %s and\n%s\n' "$*" $got "$said"
    failed=1
}

has() {
    grep -qF -- "$2" "$1" && return
    echo "FAILED: not in $1: $2"
    failed=1
}

said=$(scripts/new-service.sh --help) && [[ $said == *"scripts/new-service.sh NAME FOLDER"* ]] || { echo "FAILED: --help" && failed=1; }

refused "takes NAME and FOLDER, got 0 arguments"
refused "takes NAME and FOLDER, got 1 arguments" orders
refused "takes NAME and FOLDER, got 3 arguments" orders "$scratch/new" more
refused "there is no option '--nonsense'" --nonsense
refused "'Orders' is not a name" Orders "$scratch/new"
refused "'2orders' is not a name" 2orders "$scratch/new"
refused "'two--orders' is not a name" two--orders "$scratch/new"
refused "'orders-' is not a name" orders- "$scratch/new"
refused "'../orders' is not a name" ../orders "$scratch/new"
refused "has 41 characters" aaaaaaaaaabbbbbbbbbbccccccccccdddddddddde "$scratch/new"
refused "'switch' is a word of Swift" switch "$scratch/new"
refused "FOLDER is empty" orders ""
mkdir "$scratch/full" && touch "$scratch/full/file"
refused "'$scratch/full' is not empty" orders "$scratch/full"
refused "'$scratch/full/file' is a file" orders "$scratch/full/file"
refused "cannot write into '$scratch/full/file/new'" orders "$scratch/full/file/new"
[ ! -e "$scratch/new" ] || { echo "FAILED: a refused call has written a folder" && failed=1; }

# The folder exists and is empty. Its path is relative to another working folder.
mkdir "$scratch/empty"
said=$(cd "$scratch" && "$here/scripts/new-service.sh" parcel-tracking empty) || { echo "FAILED: status $?" && failed=1; }
[[ $said == *"cd $scratch/empty"*"swift run parcel-tracking"* ]] || { echo "FAILED: printed: $said" && failed=1; }
new=$scratch/empty
# The path of this checkout may contain the old name.
! grep -rn quickstart "$new" | grep -vF "$here" || { echo "FAILED: the old name is left" && failed=1; }
[ -z "$(find "$new" -name '*quickstart*')" ] || { echo "FAILED: a file has the old name" && failed=1; }
[ "$(find "$new" -type f | wc -l)" = "$(cd Examples/quickstart && find . -name '.build*' -prune -o -name .swiftpm -prune -o -name Package.resolved -prune -o -type f -print | wc -l)" ] ||
    { echo "FAILED: not the same number of files" && failed=1; }
has "$new/Package.swift" "?? \"$here\""
has "$new/Package.swift" 'name: "parcel-tracking",'
has "$new/Tests/parcel-trackingTests/OrdersTests.swift" "@testable import parcel_tracking"
has "$new/Sources/parcel-tracking/Main.swift" 'Logger(label: "parcel-tracking")'
has "$new/compose.yaml" "rx-linux: \"$here\""
has "$new/Dockerfile" "rx-linux=$here"
has "$new/Dockerfile" 'CMD ["parcel-tracking"]'
has "$new/.devcontainer/devcontainer.json" "source=$here,target=/rx-linux"
has "$new/kubernetes/service.yaml" "name: parcel-tracking"
has "$new/prometheus/prometheus.yml" 'targets: ["parcel-tracking:8080"]'
has "$new/grafana/dashboard.json" '"title": "parcel-tracking"'
has "$new/grafana/dashboard.json" 'rx_intake_offers_total{job=\"$job\"}'

# The example's build folder is not copied.
copy=$scratch/copy
mkdir -p "$copy/Examples" && cp -r scripts "$copy" && cp -r "$new" "$copy/Examples/quickstart"
mkdir "$copy/Examples/quickstart/.build" "$copy/Examples/quickstart/.build-debug"
mv "$copy/Examples/quickstart/Sources/parcel-tracking" "$copy/Examples/quickstart/Sources/quickstart"
mv "$copy/Examples/quickstart/Tests/parcel-trackingTests" "$copy/Examples/quickstart/Tests/quickstartTests"
"$copy/scripts/new-service.sh" orders "$scratch/second" >/dev/null || { echo "FAILED: status $?" && failed=1; }
[ -z "$(find "$scratch/second" -name '.build*')" ] || { echo "FAILED: a build folder was copied" && failed=1; }

# The checkout's path contains a character that would break the written files.
mv "$copy" "$scratch/a\$b"
said=$("$scratch/a\$b/scripts/new-service.sh" orders "$scratch/third" 2>&1)
[ $? = 2 ] && [[ $said == *"contains one of"* ]] && [ ! -e "$scratch/third" ] || { echo "FAILED: $said" && failed=1; }

[ $failed = 0 ] && echo "Tests/Scripts/new_service_test.sh passed"
exit $failed
