# Sourced by the scripts that build packages.

# Options for `swift build` and `swift test` of the core, the same everywhere, so that nothing is compiled twice. Line
# tables are enough for stacks, and cheaper than full debug information. SwiftPM finds XCTest's tests in the index of
# the package's own files, so no other index is needed. LLVM's check, which these options disable, looks only for faults
# of the compiler.
# shellcheck disable=SC2034
core_build=(-Xswiftc -warnings-as-errors -Xswiftc -gline-tables-only -Xswiftc -index-ignore-system-modules
    -Xswiftc -Xfrontend -Xswiftc -index-ignore-clang-modules -Xswiftc -Xfrontend -Xswiftc -disable-llvm-verify)

# The other packages share a build folder and its dependencies. Two contain BoringSSL, which compiles in 70 % of the
# time without debug information.
packages_scratch=$PWD/.build-packages
# shellcheck disable=SC2034
packages_build=(--scratch-path "$packages_scratch" "${core_build[@]}" -Xcc -g0)
