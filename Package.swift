// swift-tools-version: 6.1
import PackageDescription

/// Every library product comes in two forms, as RxSwift's do: linked as the client decides, and always dynamic.
func library(_ name: String) -> [Product] {
    [
        .library(name: name, targets: [name]),
        .library(name: "\(name)-Dynamic", type: .dynamic, targets: [name]),
    ]
}

let package = Package(
    name: "RxLinux",
    products: ["RxSwift", "RxRelay", "RxCocoa", "RxTest", "RxBlocking", "RxSwiftExt"].flatMap(library),
    traits: [
        .default(enabledTraits: ["Foundation"]),
        .trait(name: "Foundation", description: "What needs more than FoundationEssentials: OperationQueueScheduler among it."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CAtomicOps", path: "CSources/CAtomicOps", pkgConfig: "atomic_ops",
            providers: [.apt(["libatomic-ops-dev"])]),
        .target(name: "CRxCore", dependencies: ["CAtomicOps"], path: "CSources/CRxCore", exclude: ["README.md"]),

        .target(name: "RxSwift", dependencies: ["CRxCore"]),
        .target(name: "RxRelay", dependencies: ["RxSwift"]),
        .target(name: "RxCocoa", dependencies: ["RxRelay"]),
        .target(name: "RxTest", dependencies: ["RxSwift"]),
        .target(name: "RxBlocking", dependencies: ["RxSwift"]),
        .target(name: "RxSwiftExt", dependencies: ["RxCocoa"]),

        // Executables are targets, not products: a client would fetch what a declared product depends on.
        .executableTarget(
            name: "rx-stress",
            dependencies: [
                "RxSwift", "RxRelay", "RxCocoa", "CRxCore",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
            ]),
        .executableTarget(
            name: "rx-vitals",
            dependencies: ["RxSwift", .product(name: "ArgumentParser", package: "swift-argument-parser")]),
        .executableTarget(name: "rx-timers", dependencies: ["RxSwift"]),

        .target(name: "TestSupport", dependencies: ["RxSwift", "RxTest"], path: "Tests/Support"),
        .testTarget(name: "RxSwiftTests", dependencies: ["RxSwift", "RxRelay", "RxTest", "TestSupport"]),
        .testTarget(name: "RxCocoaTests", dependencies: ["RxCocoa", "RxTest", "TestSupport"]),
        .testTarget(name: "RxTestTests", dependencies: ["RxSwift", "RxTest", "TestSupport"]),
        .testTarget(name: "RxBlockingTests", dependencies: ["RxBlocking", "TestSupport"]),
        .testTarget(name: "RxSwiftExtTests", dependencies: ["RxSwiftExt", "RxTest", "TestSupport"]),
        .testTarget(name: "VitalsTests", dependencies: ["rx-vitals", "RxTest"]),
        .testTarget(
            name: "ContractTests", dependencies: ["RxSwift", "RxRelay", "RxCocoa", "RxSwiftExt", "RxTest", "TestSupport", "CRxCore"]),
    ]
)
