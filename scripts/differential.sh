#!/usr/bin/env bash
# Runs random chains of operators in virtual time on this library and on RxPY, and compares the events and their times.
# Installs a fixed version of RxPY with pip into a folder of this checkout. Tests/Oracle/Differential/differences.tsv
# lists the known differences. 10 000 chains took 15 minutes on two busy cores.
#
#   --count N   the number of chains (default: 10 000)
#   --seed S    the seed of the first chain (default: 1)
#   --show N    prints N differing chains, the smallest first (default: 5)
#   --only S    prints the chain of this seed and both results; with --shrink, its smallest form that differs
set -uo pipefail
cd "$(dirname "$0")/.." || exit
. scripts/lib/install.sh
. scripts/lib/options.sh
. scripts/lib/step.sh

rxpy=(reactivex==6.1.0 typing_extensions==4.16.0)
folder=.build-differential/$(IFS=+ && echo "${rxpy[*]}")

options=()
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) help_of scripts/differential.sh && exit 0 ;;
    --shrink) options+=("$1") && shift && continue ;;
    --count | --seed | --only) [[ ${2-} =~ ^[1-9][0-9]*$ ]] || refuse scripts/differential.sh "$1 needs a number above 0" ;;
    --show) [[ ${2-} =~ ^[0-9]+$ ]] || refuse scripts/differential.sh "--show needs a number" ;;
    *) refuse scripts/differential.sh "unknown argument '$1'; see --help" ;;
    esac
    options+=("$1" "$2")
    shift 2
done

rxpy_is_there() {
    [ -d "$folder/reactivex" ] && return
    rm -rf .build-differential
    limited 120 python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --retries 1 --timeout 10 \
        --no-deps --only-binary :all: --target "$folder.new" "${rxpy[@]}" && mv "$folder.new" "$folder"
}

python3 -m pip --version >/dev/null 2>&1 || need python3 python3-pip
need libatomic-ops-dev pkg-config
need_swift
rxpy_is_there || {
    echo "scripts/differential.sh: could not install ${rxpy[*]}" >&2
    exit 2
}
PYTHONPATH=$folder exec Tests/Oracle/Differential/check.py "${options[@]}"
