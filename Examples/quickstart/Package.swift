// swift-tools-version: 6.2
import PackageDescription

// The library's checkout. A container sets RX_LINUX to the checkout's path in the container. With the published
// packages, replace the first two dependencies by:
//
//     .package(name: "RxSwift", url: "<URL of RxLinux>", from: "6.11.0"),
//     .package(url: "<URL of rx-server>", from: "6.11.0", traits: ["Hummingbird"]),
let library = Context.environment["RX_LINUX"] ?? "../.."

let package = Package(
    name: "quickstart",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "RxSwift", path: library),
        .package(name: "rx-server", path: "\(library)/Packages/rx-server", traits: ["Hummingbird"]),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .executableTarget(
            name: "quickstart",
            dependencies: [
                "OpenMetrics",
                .product(name: "RxSwift", package: "RxSwift"),
                .product(name: "RxResilience", package: "RxSwift"),
                .product(name: "RxInspector", package: "rx-server"),
                .product(name: "RxLifecycle", package: "rx-server"),
                .product(name: "RxObservability", package: "rx-server"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .target(name: "OpenMetrics", dependencies: [.product(name: "CoreMetrics", package: "swift-metrics")]),
        .testTarget(
            name: "quickstartTests",
            dependencies: [
                "quickstart",
                .product(name: "RxSwift", package: "RxSwift"),
                .product(name: "RxResilience", package: "RxSwift"),
                .product(name: "RxTest", package: "RxSwift"),
            ]),
        .testTarget(
            name: "OpenMetricsTests",
            dependencies: ["OpenMetrics", .product(name: "CoreMetrics", package: "swift-metrics")]),
    ]
)
