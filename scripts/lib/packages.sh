# Sourced by the scripts that build the packages beside the core: Packages/*, Examples.

# Options for `swift build` and `swift test`: all of them in one folder and alike, so that what several of them need is compiled
# once. They are built one after the other: each resolves its own dependencies there.
# shellcheck disable=SC2034
packages_build=(--scratch-path "$PWD/.build-packages" -Xswiftc -warnings-as-errors)
