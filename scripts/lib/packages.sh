# Sourced by the scripts that build the core, and the packages beside it: Packages/*, Examples.

# Options for `swift build` and `swift test` of the core: the same everywhere, so that nothing is compiled twice.
# shellcheck disable=SC2034
core_build=(-Xswiftc -warnings-as-errors)

# The same for the packages beside the core. They share a folder, and so what they all build on.
packages_scratch=$PWD/.build-packages
# shellcheck disable=SC2034
packages_build=(--scratch-path "$packages_scratch" "${core_build[@]}")
