# Sourced by the scripts that read the packages' declarations.
. scripts/lib/packages.sh

modules() {
    local folder
    for folder in "$1"/Sources/Rx*/; do basename "$folder"; done
}

# symbol_graphs FOLDER INTO [OPTION...]: writes the graph of each module's public symbols into INTO/MODULE. `swift
# package dump-symbol-graph` would also need the tests' modules, and build everything again, because it takes no
# compiler options.
symbol_graphs() {
    local folder=$1 into=$2 module built triple map maps=(-Xcc -fmodule-map-file=CSources/CAtomicOps/module.modulemap)
    shift 2
    # Reuses the gate's build.
    local build=(swift build --package-path "$folder")
    # The packages share a build folder, so a cached manifest may be that of another package.
    if [ "$folder" = . ]; then build+=("${core_build[@]}"); else build+=("${packages_build[@]}" --disable-build-manifest-caching); fi
    triple=$(swift -print-target-info | sed -n 's/.*"triple": "\(.*\)".*/\1/p' | head -n 1) && [ -n "$triple" ] &&
        built=$("${build[@]}" --show-bin-path) || return 1
    # One build, because planning a build takes seconds.
    "${build[@]}" >"$into/log" 2>&1 || { tail -n 20 "$into/log" && return 1; }
    for map in "$built"/*.build/module.modulemap "$folder"/Sources/*/module.modulemap "$packages_scratch"/checkouts/*/Sources/*/{,include/}module.modulemap; do
        [ ! -f "$map" ] || maps+=(-Xcc "-fmodule-map-file=$map")
    done
    # The compiler may not search the folder of a system library's header.
    [ ! -d "$folder/Sources/CPostgreSQL" ] || maps+=(-Xcc "-I$(pkg-config --variable=includedir libpq)")
    for module in $(modules "$folder"); do
        mkdir -p "$into/$module" &&
            swift symbolgraph-extract -module-name "$module" -target "$triple" -I "$built/Modules" "${maps[@]}" \
                -minimum-access-level public "$@" -output-dir "$into/$module" || return 1
    done
}

docc_of_swift() {
    local docc
    docc=$(dirname "$(readlink -f "$(command -v swift)")")/docc
    [ -x "$docc" ] || { echo "missing: docc, which comes with Swift, beside $(dirname "$docc")/swift" >&2 && return 1; }
    echo "$docc"
}

# archive DOCC FOLDER MODULE INTO [OPTION...]: writes INTO/MODULE.doccarchive from the module's pages and the symbols in
# INTO/MODULE, including extensions of other modules.
archive() {
    local docc=$1 catalogue=$2/Sources/$3/$3.docc module=$3 into=$4
    shift 4
    [ -d "$catalogue" ] || catalogue=
    limited 300 "$docc" convert $catalogue --fallback-display-name "$module" --fallback-bundle-identifier "$module" \
        --additional-symbol-graph-dir "$into/$module" --output-path "$into/$module.doccarchive" --warnings-as-errors "$@"
}
