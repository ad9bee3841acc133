// swift-tools-version: 6.1
import PackageDescription

/// Every library product comes in two forms, as RxSwift's do: linked as the client decides, and always dynamic.
///
/// Both name the modules below it, too. SwiftPM compiles a target again when a module changed that it *declares*; a
/// client of RxCocoa alone would keep what the compiler had inlined into it from an RxSwift that is no longer there.
func library(_ name: String, on below: String...) -> [Product] {
    [
        .library(name: name, targets: [name] + below),
        .library(name: "\(name)-Dynamic", type: .dynamic, targets: [name] + below),
    ]
}

// A manifest has no place for the version: the tag says it, on the commit whose CHANGELOG.md begins with it.
let package = Package(
    name: "RxLinux",
    products: library("RxSwift") + library("RxRelay", on: "RxSwift") + library("RxCocoa", on: "RxRelay", "RxSwift")
        + library("RxTest", on: "RxSwift") + library("RxBlocking", on: "RxSwift")
        + library("RxSwiftExt", on: "RxCocoa", "RxRelay", "RxSwift") + library("RxResilience", on: "RxSwift")
        + library("RxOperators", on: "RxSwift"),
    traits: [
        .default(enabledTraits: ["Foundation"]),
        .trait(
            name: "Foundation",
            description: "What needs more than FoundationEssentials: OperationQueueScheduler among it."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    ],
    targets: [
        // Where pkg-config finds no libatomic_ops it warns, and builtins.h replaces it.
        .systemLibrary(
            name: "CAtomicOps", path: "CSources/CAtomicOps", pkgConfig: "atomic_ops",
            providers: [.apt(["libatomic-ops-dev"]), .yum(["libatomic_ops-devel"])]),
        .target(name: "CRxCore", dependencies: ["CAtomicOps"], path: "CSources/CRxCore", exclude: ["README.md"]),

        // Every target declares each module of ours that it uses, also where another one brings it along: see
        // `library`.
        .target(name: "RxSwift", dependencies: ["CRxCore"]),
        .target(name: "RxRelay", dependencies: ["RxSwift"]),
        .target(name: "RxCocoa", dependencies: ["RxRelay", "RxSwift"]),
        .target(name: "RxTest", dependencies: ["RxSwift"]),
        .target(name: "RxBlocking", dependencies: ["RxSwift"]),
        .target(name: "RxSwiftExt", dependencies: ["RxCocoa", "RxRelay", "RxSwift"]),
        .target(name: "RxResilience", dependencies: ["RxSwift"]),
        .target(name: "RxOperators", dependencies: ["RxSwift"]),

        // Executables are targets, not products: a client would fetch what a declared product depends on.
        .executableTarget(
            name: "rx-stress",
            dependencies: [
                "RxSwift", "RxRelay", "RxCocoa", "RxResilience", "CRxCore",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
            ]),
        .executableTarget(
            name: "rx-vitals",
            dependencies: ["RxSwift", .product(name: "ArgumentParser", package: "swift-argument-parser")]),
        .executableTarget(name: "rx-timers", dependencies: ["RxSwift"]),

        .target(name: "TestSupport", dependencies: ["RxSwift", "RxTest"], path: "Tests/Support"),
        .testTarget(name: "RxSwiftTests", dependencies: ["RxSwift", "RxRelay", "RxTest", "TestSupport", "CRxCore"]),
        .testTarget(name: "RxRelayTests", dependencies: ["RxRelay", "RxSwift", "TestSupport"]),
        .testTarget(name: "RxCocoaTests", dependencies: ["RxCocoa", "RxRelay", "RxSwift", "RxTest", "TestSupport"]),
        .testTarget(name: "RxTestTests", dependencies: ["RxSwift", "RxTest", "TestSupport"]),
        .testTarget(name: "RxBlockingTests", dependencies: ["RxBlocking", "RxSwift", "TestSupport"]),
        .testTarget(
            name: "RxSwiftExtTests",
            dependencies: ["RxSwiftExt", "RxCocoa", "RxRelay", "RxSwift", "RxTest", "TestSupport"]),
        .testTarget(
            name: "RxResilienceTests",
            dependencies: ["RxResilience", "RxSwiftExt", "RxCocoa", "RxRelay", "RxSwift", "RxTest", "TestSupport"]),
        .testTarget(
            name: "RxOperatorsTests",
            dependencies: ["RxOperators", "RxSwift", "RxTest", "TestSupport"]),
        .testTarget(
            name: "MarblesTests",
            dependencies: ["RxOperators", "RxResilience", "RxSwiftExt", "RxCocoa", "RxRelay", "RxSwift", "RxTest"]),
        .testTarget(name: "StressTests", dependencies: ["rx-stress"]),
        .testTarget(name: "VitalsTests", dependencies: ["rx-vitals", "RxSwift", "RxTest"]),
        .testTarget(
            name: "ContractTests",
            dependencies: [
                "RxSwift", "RxRelay", "RxCocoa", "RxSwiftExt", "RxResilience", "RxOperators", "RxTest", "TestSupport",
                "CRxCore",
            ]),
    ]
)

// Builds with a sanitizer leave out the targets that have no suite of concurrent code (scripts/test.sh).
if Context.environment["RX_SANITIZED"] != nil {
    let others = [
        "rx-stress", "rx-vitals", "rx-timers", "MarblesTests", "RxTestTests", "StressTests", "VitalsTests",
    ]
    package.targets.removeAll { others.contains($0.name) }
    package.dependencies = []
}
