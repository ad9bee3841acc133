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
    ]
)
