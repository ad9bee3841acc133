# Sourced by the scripts that look at what the packages declare.
. scripts/lib/packages.sh

# modules FOLDER: those of the package there.
modules() {
    local folder
    for folder in "$1"/Sources/Rx*/; do basename "$folder"; done
}

# symbol_graphs FOLDER INTO [OPTION...]: writes the graph of the public symbols of each module of the package into INTO/MODULE.
#
# Module by module: `swift package dump-symbol-graph` asks for the tests' modules as well, fails where they were not built, and builds
# all anew, as it takes no options of the compiler's. What a package beside the core reads of C is found by its module maps.
symbol_graphs() {
    local folder=$1 into=$2 module built triple map maps=(-Xcc -fmodule-map-file=CSources/CAtomicOps/module.modulemap)
    shift 2
    # As the gate has built it before.
    local build=(swift build --package-path "$folder")
    if [ "$folder" = . ]; then build+=("${core_build[@]}"); else build+=("${packages_build[@]}"); fi
    triple=$(swift -print-target-info | sed -n 's/.*"triple": "\(.*\)".*/\1/p' | head -n 1) && [ -n "$triple" ] &&
        built=$("${build[@]}" --show-bin-path) || return 1
    for module in $(modules "$folder"); do
        "${build[@]}" --target "$module" >"$into/log" 2>&1 || { tail -n 20 "$into/log" && return 1; }
    done
    for map in "$built"/*.build/module.modulemap "$packages_scratch"/checkouts/*/Sources/*/{,include/}module.modulemap; do
        [ ! -f "$map" ] || maps+=(-Xcc "-fmodule-map-file=$map")
    done
    for module in $(modules "$folder"); do
        mkdir -p "$into/$module" &&
            swift symbolgraph-extract -module-name "$module" -target "$triple" -I "$built/Modules" "${maps[@]}" \
                -minimum-access-level public "$@" -output-dir "$into/$module" || return 1
    done
}

# docc_of_swift: the DocC of the toolchain.
docc_of_swift() {
    local docc
    docc=$(dirname "$(readlink -f "$(command -v swift)")")/docc
    [ -x "$docc" ] || { echo "missing: docc, which comes with Swift, beside $(dirname "$docc")/swift" >&2 && return 1; }
    echo "$docc"
}

# archive DOCC FOLDER MODULE INTO [OPTION...]: writes INTO/MODULE.doccarchive, of the symbols in INTO/MODULE and of the module's pages:
# what it declares and what it adds to the modules below it.
archive() {
    local docc=$1 catalogue=$2/Sources/$3/$3.docc module=$3 into=$4
    shift 4
    [ -d "$catalogue" ] || catalogue=
    limited 300 "$docc" convert $catalogue --fallback-display-name "$module" --fallback-bundle-identifier "$module" \
        --additional-symbol-graph-dir "$into/$module" --output-path "$into/$module.doccarchive" --warnings-as-errors "$@"
}
