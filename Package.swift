// swift-tools-version: 6.1
import PackageDescription

/// Returns the two library products of a module, with the names that RxSwift uses. The first can be linked statically
/// or dynamically. The second is always dynamic.
///
/// Both also list the modules that this one imports. SwiftPM recompiles a client only if a module that the client
/// *declares* has changed. Without this list, a client of RxCocoa alone would keep inlined code of an earlier RxSwift.
func library(_ name: String, on below: String...) -> [Product] {
    [
        .library(name: name, targets: [name] + below),
        .library(name: "\(name)-Dynamic", type: .dynamic, targets: [name] + below),
    ]
}

// A manifest does not contain the version. The version is the tag of a commit, and CHANGELOG.md begins with it.
let package = Package(
    name: "RxLinux",
    products: library("RxSwift") + library("RxRelay", on: "RxSwift") + library("RxCocoa", on: "RxRelay", "RxSwift")
        + library("RxTest", on: "RxSwift") + library("RxBlocking", on: "RxSwift")
        + library("RxSwiftExt", on: "RxCocoa", "RxRelay", "RxSwift") + library("RxResilience", on: "RxSwift")
        + library("RxOperators", on: "RxRelay", "RxSwift"),
    traits: [
        .default(enabledTraits: ["Foundation"]),
        .trait(
            name: "Foundation",
            description: "Types that need all of Foundation, such as OperationQueueScheduler."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    ],
    targets: [
        // If pkg-config does not find libatomic_ops, SwiftPM warns, and builtins.h is used instead.
        .systemLibrary(
            name: "CAtomicOps", path: "CSources/CAtomicOps", pkgConfig: "atomic_ops",
            providers: [.apt(["libatomic-ops-dev"]), .yum(["libatomic_ops-devel"])]),
        .target(name: "CRxCore", dependencies: ["CAtomicOps"], path: "CSources/CRxCore", exclude: ["README.md"]),
        // Separate from the core, because only test code uses it.
        .target(name: "CRxExplorer", dependencies: ["CRxCore"], path: "CSources/CRxExplorer"),

        // Every target declares each module of this package that it uses, even if another dependency already provides
        // that module: see `library`.
        .target(
            name: "RxSwift", dependencies: ["CRxCore"],
            swiftSettings: Context.environment["RX_PORTABLE"] == "1" ? [.define("RX_PORTABLE")] : []),
        .target(name: "RxRelay", dependencies: ["RxSwift"]),
        .target(name: "RxCocoa", dependencies: ["RxRelay", "RxSwift"]),
        .target(name: "RxTest", dependencies: ["CRxCore", "CRxExplorer", "RxSwift"]),
        .target(name: "RxBlocking", dependencies: ["RxSwift"]),
        .target(name: "RxSwiftExt", dependencies: ["RxCocoa", "RxRelay", "RxSwift"]),
        .target(name: "RxResilience", dependencies: ["RxSwift"]),
        .target(name: "RxOperators", dependencies: ["RxRelay", "RxSwift"]),

        // Executables are not products. Otherwise, clients would also fetch the packages that the executables depend
        // on.
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
        .testTarget(name: "RxTestTests", dependencies: ["RxRelay", "RxSwift", "RxTest", "TestSupport"]),
        .testTarget(name: "RxBlockingTests", dependencies: ["RxBlocking", "RxSwift", "TestSupport"]),
        .testTarget(
            name: "RxSwiftExtTests",
            dependencies: ["RxSwiftExt", "RxCocoa", "RxRelay", "RxSwift", "RxTest", "TestSupport"]),
        .testTarget(
            name: "RxResilienceTests",
            dependencies: ["RxResilience", "RxSwiftExt", "RxCocoa", "RxRelay", "RxSwift", "RxTest", "TestSupport"]),
        .testTarget(
            name: "RxOperatorsTests",
            dependencies: ["RxOperators", "RxSwiftExt", "RxCocoa", "RxRelay", "RxSwift", "RxTest", "TestSupport"]),
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

// A build with a sanitizer (scripts/test.sh) has no products. Its targets are those listed in `RX_SANITIZED`, separated
// by commas, and their dependencies. `RX_SANITIZED_WITHOUT` lists the test files to leave out.
if let names = Context.environment["RX_SANITIZED"] {
    var needed = Set(names.split(separator: ",").map(String.init))
    for target in package.targets.reversed() where needed.contains(target.name) {
        for case .byNameItem(let name, _) in target.dependencies { needed.insert(name) }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
    package.dependencies = []
    let without = (Context.environment["RX_SANITIZED_WITHOUT"] ?? "").split(separator: ",")
    for target in package.targets where target.type == .test {
        let folder = "Tests/\(target.name)/"
        target.exclude = without.filter { $0.hasPrefix(folder) }.map { String($0.dropFirst(folder.count)) }
    }
}

// With RX_EXPLORE=1, the package is the library and rx-explore. Clients and scripts/explore.sh also define RX_EXPLORE
// for the C compiler (-Xcc -DRX_EXPLORE), so that the core has the explorer's control points (crx_explore.h).
if Context.environment["RX_EXPLORE"] == "1" {
    for target in package.targets where target.name == "RxSwift" {
        target.swiftSettings = [.define("RX_EXPLORE")]
        target.dependencies.append("CRxExplorer")
    }
    package.targets += [
        // The contract suite's table of operators.
        .target(
            name: "ContractTable",
            dependencies: [
                "RxSwift", "RxRelay", "RxCocoa", "RxSwiftExt", "RxResilience", "RxOperators", "TestSupport", "CRxCore",
            ],
            path: "Tests/ContractTests", exclude: ["Laws", "Schedulers"]),
        .executableTarget(
            name: "rx-explore",
            dependencies: [
                "ContractTable", "RxSwift", "RxRelay", "RxSwiftExt", "RxOperators", "RxTest", "TestSupport", "CRxCore",
                "CRxExplorer",
            ],
            path: "Tests/Explore",
            exclude: ["README.md", "programs.txt"]),
    ]
    package.targets.removeAll { target in
        target.type == .test
            || target.dependencies.contains { if case .byNameItem = $0 { false } else { true } }
    }
    package.dependencies = []
}
