# Sourced by the scripts that start servers.

free_port() {
    local port
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        port=$((20000 + RANDOM % 20000))
        (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo $port && return; }
    done
    echo "no free port was found" >&2
    exit 1
}
