// swift-tools-version: 6.1
import PackageDescription

// Programs that show the library at work. A package of its own, and never published, so that nobody who uses the
// library fetches what its examples need.
let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "RxSwift", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    ],
    targets: [
        .executableTarget(name: "bounded", dependencies: [.product(name: "RxSwift", package: "RxSwift")]),
        .target(name: "StormModel", dependencies: [.product(name: "RxResilience", package: "RxSwift")]),
        .executableTarget(
            name: "storm",
            dependencies: ["StormModel", .product(name: "ArgumentParser", package: "swift-argument-parser")]),
        .testTarget(name: "StormTests", dependencies: ["StormModel"]),
        .target(
            name: "ExampleSupport",
            dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")]),
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
    ]
)
