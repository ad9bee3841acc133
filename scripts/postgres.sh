#!/usr/bin/env bash
# Starts and stops a PostgreSQL server on loopback, with a new database in its own folder. Installs missing packages.
# PostgreSQL refuses to run as root, so root runs it as the user postgres.
#
#   scripts/postgres.sh start [OPTIONS]                     starts a server in the background and prints its URL
#   scripts/postgres.sh stop [--port N]                     stops the server and deletes its folder
#   scripts/postgres.sh kill [--port N]                     kills all its processes, like a crash
#   scripts/postgres.sh restart [--port N]                  starts a killed server again, with its data
#   scripts/postgres.sh run -- COMMAND                      runs COMMAND with the URL of a temporary server in
#                                                           RX_POSTGRES_URL, and this script's path in
#                                                           RX_POSTGRES_SCRIPT; the status is COMMAND's
#
#   --port N          the port (default: 54321; with `run`, a free port)
#   --store FOLDER    with `start`, the parent of the server's folder (default: the folder of temporary files)
#   --tls             with `start`, a certificate for localhost; the URL names it, and requires TLS
#   --clock FILE      with `start`, shifts the server's clock by the span in FILE, such as -3600s, which the server
#                     reads each second; needs Debian's libfaketime
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. scripts/lib/install.sh
. scripts/lib/options.sh
. scripts/lib/port.sh
me=scripts/postgres.sh

# Prints the folder of the newest version's programs, which Debian does not put into the path.
bin() {
    local folder
    folder=$(for at in /usr/lib/postgresql/*/bin; do [ ! -x "$at/initdb" ] || echo "$at"; done | sort -V | tail -n 1)
    [ -n "$folder" ] || ! command -v initdb >/dev/null || folder=$(dirname "$(command -v initdb)")
    echo "$folder"
}

as_owner() {
    if [ "$(id -u)" = 0 ]; then
        setpriv --reuid postgres --regid postgres --clear-groups env -C / "$@"
    else
        "$@"
    fi
}

folder_of() { cat "${TMPDIR:-/tmp}/rx-postgres-$(id -u)-$1" 2>/dev/null; }

# Prevents Debian's package from starting a server of its own.
install() {
    [ -n "$(bin)" ] && return
    mkdir -p /etc/postgresql-common 2>/dev/null
    [ -e /etc/postgresql-common/createcluster.conf ] || echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf 2>/dev/null
    need postgresql >&2
}

# detached COMMAND...: runs a command without the open files of this script's caller. The caller may wait until these
# are closed, but the server keeps running.
detached() (
    for file in "/proc/$BASHPID/fd/"*; do
        file=${file##*/}
        [ "$file" -le 2 ] || [ "$file" = 255 ] || eval "exec $file>&-"
    done
    "$@" </dev/null >/dev/null 2>&1
)

faketime_library() {
    local file
    for file in /usr/lib/*/faketime/libfaketime.so.1; do [ ! -e "$file" ] || { echo "$file" && return; }; done
}

# boot: starts the server of $folder, and waits until it accepts connections.
boot() {
    local faked=() library
    if [ -e "$folder/clock" ]; then
        library=$(faketime_library)
        # Without the library, the server would use the system's clock.
        [ -n "$library" ] || { echo "$me: --clock needs libfaketime.so.1, which is not in /usr/lib/*/faketime" >&2 && return 1; }
        faked=(env "LD_PRELOAD=$library" "FAKETIME_TIMESTAMP_FILE=$(cat "$folder/clock")"
            FAKETIME_CACHE_DURATION=1 FAKETIME_DONT_FAKE_MONOTONIC=1)
    fi
    detached as_owner "${faked[@]}" "$(bin)/pg_ctl" -D "$folder/data" -l "$folder/log" -w -t 60 -s \
        -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=$folder" start && return
    echo "the server did not start:" >&2
    tail -n 5 "$folder/log" >&2
    return 1
}

launch() {
    mkdir -p "$folder" && chmod 755 "$folder" || exit 1
    [ "$(id -u)" != 0 ] || chown postgres "$folder" || exit 1
    as_owner "$(bin)/initdb" -D "$folder/data" -U postgres --auth=trust --encoding=UTF8 --no-locale --no-sync >"$folder/initdb.log" 2>&1 ||
        { tail -n 5 "$folder/initdb.log" >&2 && exit 1; }
    # Tests run concurrently, each with its own brokers.
    [ "$verb" != run ] || configure "max_connections = 300"
    [ -z "$tls" ] || certify || exit 1
    [ -z "$clock" ] || { need libfaketime >&2 && echo "$clock" >"$folder/clock"; } || exit 1
    boot || exit 1
}

configure() { printf '%s\n' "$@" | as_owner tee -a "$folder/data/postgresql.conf" >/dev/null; }

certify() {
    need openssl >&2
    openssl req -new -x509 -days 30 -nodes -subj /CN=localhost -addext subjectAltName=DNS:localhost \
        -keyout "$folder/server.key" -out "$folder/server.crt" 2>/dev/null || return 1
    chmod 600 "$folder/server.key" && chmod 644 "$folder/server.crt"
    [ "$(id -u)" != 0 ] || chown postgres "$folder/server.key" || return 1
    configure "ssl = on" "ssl_cert_file = '$folder/server.crt'" "ssl_key_file = '$folder/server.key'"
}

halt() { as_owner "$(bin)/pg_ctl" -D "$folder/data" -m immediate -s stop >/dev/null 2>&1; }

[ $# -gt 0 ] || refuse $me "takes start, stop, kill, restart or run; see --help"
verb=$1
shift
case $verb in
-h | --help) help_of $me && exit 0 ;;
start | stop | kill | restart | run) ;;
*) refuse $me "takes start, stop, kill, restart or run, not '$verb'" ;;
esac
port='' store=${TMPDIR:-/tmp} tls='' clock='' command=()
while [ $# -gt 0 ]; do
    case $verb,$1 in
    *,-h | *,--help) help_of $me && exit 0 ;;
    run,--)
        shift
        command=("$@")
        break
        ;;
    start,--tls) tls=1 && shift ;;
    *,--port | start,--store | start,--clock)
        [ $# -gt 1 ] || refuse $me "$1 takes a value"
        case $1 in
        --port) port=$2 ;;
        --store) store=$(realpath -m -- "$2") ;;
        --clock) clock=$(realpath -m -- "$2") ;;
        esac
        shift 2
        ;;
    *) refuse $me "$verb does not take '$1'" ;;
    esac
done
[[ -z $port || $port =~ ^[0-9]{1,5}$ && $((10#$port)) -ge 1 && $((10#$port)) -le 65535 ]] || refuse $me "--port takes a number from 1 to 65535, not '$port'"

case $verb in
start)
    install || exit 1
    port=${port:-54321}
    folder=$(mktemp -d -p "$store" rx-postgres-XXXXXX) || exit 1
    launch
    echo "$folder" >"${TMPDIR:-/tmp}/rx-postgres-$(id -u)-$port"
    if [ -n "$tls" ]; then
        echo "postgres://postgres@localhost:$port/postgres?hostaddr=127.0.0.1&sslmode=verify-full&sslrootcert=$folder/server.crt"
    else
        echo "postgres://postgres@127.0.0.1:$port/postgres"
    fi
    ;;
run)
    [ ${#command[@]} -gt 0 ] || refuse $me "run takes -- and a command"
    install || exit 1
    port=${port:-$(free_port)} || exit 1
    folder=$(mktemp -d -p "$store" rx-postgres-XXXXXX) || exit 1
    trap 'halt; rm -rf "$folder"' EXIT
    launch
    RX_POSTGRES_SCRIPT=$PWD/$me RX_POSTGRES_URL=postgres://postgres@127.0.0.1:$port/postgres "${command[@]}"
    ;;
*)
    port=${port:-54321}
    folder=$(folder_of "$port")
    [ -d "$folder/data" ] || { echo "no server was started on port $port" >&2 && exit 1; }
    case $verb in
    stop)
        halt
        rm -rf "$folder" "${TMPDIR:-/tmp}/rx-postgres-$(id -u)-$port"
        ;;
    kill)
        # The server's other processes end with the first one.
        kill -9 "$(head -n 1 "$folder/data/postmaster.pid")"
        ;;
    restart)
        for _ in $(seq 1 50); do
            rm -f "$folder/data/postmaster.pid"
            boot 2>/dev/null && exit 0
            sleep 0.2
        done
        boot
        ;;
    esac
    ;;
esac
