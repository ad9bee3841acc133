// swift-tools-version: 6.1
import PackageDescription

// A separate package, so that users of the library do not fetch its benchmarks' dependencies. Needs Swift 6.3.
let package = Package(
    name: "Benchmarks",
    dependencies: [
        .package(name: "RxLinux", path: "../.."),
        // No traits: the benchmark package's own allocation counter would add two packages.
        .package(url: "https://github.com/ordo-one/benchmark", exact: "1.38.1", traits: []),
        .package(url: "https://github.com/apple/swift-async-algorithms", exact: "1.1.4"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
    ],
    targets: [
        .target(name: "CAllocations", path: "CAllocations"),
        .executableTarget(
            name: "RxBenchmarks",
            dependencies: [
                "CAllocations",
                .product(name: "RxSwift", package: "RxLinux"),
                .product(name: "RxRelay", package: "RxLinux"),
                .product(name: "Benchmark", package: "benchmark"),
            ],
            path: "Benchmarks/RxBenchmarks",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
        // Outside the folder `Benchmarks`, so that checking the thresholds does not build it.
        .executableTarget(
            name: "Rivals",
            dependencies: [
                .product(name: "RxSwift", package: "RxLinux"),
                .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
                .product(name: "OpenCombine", package: "OpenCombine"),
                .product(name: "OpenCombineDispatch", package: "OpenCombine"),
            ],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .executableTarget(
            name: "Operators",
            dependencies: [
                .product(name: "RxSwift", package: "RxLinux"), .product(name: "RxOperators", package: "RxLinux"),
            ],
            swiftSettings: [.swiftLanguageMode(.v5)]),
    ]
)
