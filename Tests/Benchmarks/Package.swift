// swift-tools-version: 6.1
import PackageDescription

// A package of its own, so that nobody who uses the library fetches what its benchmarks need. The benchmark package
// needs Swift 6.3.
let package = Package(
    name: "Benchmarks",
    dependencies: [
        .package(name: "RxLinux", path: "../.."),
        // Its own allocation counter would bring two more packages along; CAllocations does what is needed.
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
        // No benchmark of that package's, so not below a folder of the name: who checks the thresholds does not build
        // it.
        .executableTarget(
            name: "Rivals",
            dependencies: [
                .product(name: "RxSwift", package: "RxLinux"),
                .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
                .product(name: "OpenCombine", package: "OpenCombine"),
                .product(name: "OpenCombineDispatch", package: "OpenCombine"),
            ],
            swiftSettings: [.swiftLanguageMode(.v5)]),
    ]
)
