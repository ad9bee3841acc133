# Sourced by the scripts that build the core and the other packages: Packages/*, Examples.

# Options for `swift build` and `swift test` of the core. They are the same everywhere, so that nothing is compiled
# twice. Line tables are enough for stacks, and cost less time than full debug information. SwiftPM finds the tests of
# XCTest in the index of the package's own files, so no index of the system's modules and of C modules is needed. The
# check of LLVM's code looks for faults of the compiler.
# shellcheck disable=SC2034
core_build=(-Xswiftc -warnings-as-errors -Xswiftc -gline-tables-only -Xswiftc -index-ignore-system-modules
    -Xswiftc -Xfrontend -Xswiftc -index-ignore-clang-modules -Xswiftc -Xfrontend -Xswiftc -disable-llvm-verify)

# The options for the other packages, which share a build folder and the dependencies in it. Two of these contain
# BoringSSL, which compiles in about 70 % of the time without debug information.
packages_scratch=$PWD/.build-packages
# shellcheck disable=SC2034
packages_build=(--scratch-path "$packages_scratch" "${core_build[@]}" -Xcc -g0)
