// swift-tools-version: 6.1
import PackageDescription

// A separate package, so that users of the library do not fetch the dependencies of the example programs.
let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "RxSwift", path: ".."),
        .package(name: "rx-server", path: "../Packages/rx-server"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .executableTarget(
            name: "bounded", dependencies: ["ExampleSupport", .product(name: "RxSwift", package: "RxSwift")]),
        .executableTarget(
            name: "faults",
            dependencies: [
                .product(name: "RxSwift", package: "RxSwift"), .product(name: "RxRelay", package: "RxSwift"),
            ]),
        .target(name: "StormModel", dependencies: [.product(name: "RxResilience", package: "RxSwift")]),
        .executableTarget(
            name: "storm",
            dependencies: ["StormModel", .product(name: "ArgumentParser", package: "swift-argument-parser")]),
        .testTarget(name: "StormTests", dependencies: ["StormModel"]),
        .target(
            name: "ExampleSupport",
            dependencies: [
                .product(name: "RxSwift", package: "RxSwift"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .target(name: "LogTailModel", dependencies: [.product(name: "RxSwift", package: "RxSwift")]),
        .executableTarget(
            name: "logtail",
            dependencies: [
                "ExampleSupport", "LogTailModel",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .testTarget(name: "LogTailTests", dependencies: ["LogTailModel"]),
        .executableTarget(
            name: "ticker",
            dependencies: [
                "ExampleSupport",
                .product(name: "RxSwift", package: "RxSwift"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]),
        .executableTarget(
            name: "service",
            dependencies: [
                "ExampleSupport",
                .product(name: "RxSwift", package: "RxSwift"),
                .product(name: "RxResilience", package: "RxSwift"),
                .product(name: "RxLifecycle", package: "rx-server"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .executableTarget(
            name: "gateway",
            dependencies: [
                "ExampleSupport",
                .product(name: "RxSwift", package: "RxSwift"),
                .product(name: "RxResilience", package: "RxSwift"),
                .product(name: "RxObservability", package: "rx-server"),
                .product(name: "RxLifecycle", package: "rx-server"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
    ]
)
