# Sourced by the scripts that build the packages beside the core: Packages/*, Examples.

# Options for `swift build` and `swift test`: the same everywhere, so that nothing is compiled twice.
# shellcheck disable=SC2034
packages_build=(-Xswiftc -warnings-as-errors)
