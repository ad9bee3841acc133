# Sourced by the scripts that build the core and the other packages: Packages/*, Examples.

# Options for `swift build` and `swift test` of the core. They are the same everywhere, so that nothing is compiled
# twice. Line tables are enough for stacks, and cost less time than full debug information. With -wmo, one process
# compiles all files of a module, which takes 70 to 80 % of the processor time of several processes. The number of
# threads is required: without it, the compiler writes one object file for each module, and SwiftPM expects one for each
# file.
# shellcheck disable=SC2034
core_build=(-Xswiftc -warnings-as-errors -Xswiftc -gline-tables-only -Xswiftc -wmo -Xswiftc -disable-batch-mode \
    -Xswiftc -no-emit-module-separately-wmo -Xswiftc -num-threads -Xswiftc 2)

# The options for the other packages, which share a build folder and the dependencies in it. Two of these contain
# BoringSSL, which compiles in about 70 % of the time without debug information.
packages_scratch=$PWD/.build-packages
# shellcheck disable=SC2034
packages_build=(--scratch-path "$packages_scratch" "${core_build[@]}" -Xcc -g0)
