# Sourced by the scripts that build the core and the other packages: Packages/*, Examples.

# Options for `swift build` and `swift test` of the core. They are the same everywhere, so that nothing is compiled
# twice. Line tables are enough for stacks, and cost less time than full debug information.
# shellcheck disable=SC2034
core_build=(-Xswiftc -warnings-as-errors -Xswiftc -gline-tables-only)

# The options for the other packages, which share a build folder and the dependencies in it. Two of these contain
# BoringSSL, which compiles in about 70 % of the time without debug information.
packages_scratch=$PWD/.build-packages
# shellcheck disable=SC2034
packages_build=(--scratch-path "$packages_scratch" "${core_build[@]}" -Xcc -g0)
