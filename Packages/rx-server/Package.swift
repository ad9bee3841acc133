// swift-tools-version: 6.1
import PackageDescription

// What needs a package of the server ecosystem is a package of its own: who wants the operators alone fetches nothing
// of it. The core is taken from this checkout here; in what `scripts/split-packages.sh` publishes, these two lines are
// the core's address and name.
let core: Package.Dependency = .package(name: "RxSwift", path: "../..")
let coreName = "RxSwift"

func rx(_ product: String) -> Target.Dependency { .product(name: product, package: coreName) }
func nio(_ product: String) -> Target.Dependency { .product(name: product, package: "swift-nio") }

let package = Package(
    name: "rx-server",
    products: [
        .library(name: "RxNIO", targets: ["RxNIO"]),
        .library(name: "RxObservability", targets: ["RxObservability"]),
        .library(name: "RxLifecycle", targets: ["RxLifecycle"]),
    ],
    dependencies: [
        core,
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .target(name: "RxNIO", dependencies: [rx("RxSwift"), nio("NIOCore"), nio("NIOConcurrencyHelpers")]),
        .target(
            name: "RxObservability",
            dependencies: [
                rx("RxSwift"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]),
        .target(
            name: "RxLifecycle",
            dependencies: [
                rx("RxSwift"), rx("RxResilience"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .testTarget(
            name: "RxNIOTests",
            dependencies: [
                "RxNIO", rx("RxSwift"), rx("RxResilience"), rx("RxTest"),
                nio("NIOCore"), nio("NIOEmbedded"), nio("NIOPosix"),
            ]),
        .testTarget(
            name: "RxObservabilityTests",
            dependencies: [
                "RxObservability", rx("RxSwift"), rx("RxTest"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            ]),
        // A program for tests that send it a signal; a target, and no product.
        .executableTarget(
            name: "rx-lifecycle-fixture",
            dependencies: [
                "RxLifecycle",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: "Tests/RxLifecycleFixture"),
        .testTarget(
            name: "RxLifecycleTests",
            dependencies: [
                "RxLifecycle", "rx-lifecycle-fixture", rx("RxSwift"), rx("RxResilience"), rx("RxTest"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
            ]),
    ]
)
