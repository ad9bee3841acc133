// swift-tools-version: 6.1
import PackageDescription

// A separate package, so that users of the operators alone do not fetch SwiftNIO and other dependencies. Here the core
// is this checkout. For the published package, `scripts/split-packages.sh` replaces the next two lines by the core's
// address and name.
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
        .library(name: "RxInspector", targets: ["RxInspector"]),
    ],
    // Without the trait, Hummingbird and its dependencies are not fetched.
    traits: [.trait(name: "Hummingbird", description: "The inspector's routes for Hummingbird; needs Swift 6.2.")],
    dependencies: [
        core,
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // Used by other targets; not a product.
        .target(name: "ServerSupport"),
        .target(name: "RxNIO", dependencies: [rx("RxSwift"), nio("NIOCore"), nio("NIOConcurrencyHelpers")]),
        .target(
            name: "RxObservability",
            dependencies: [
                "ServerSupport", rx("RxSwift"), rx("RxResilience"),
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
        .target(
            name: "RxInspector",
            dependencies: [
                "ServerSupport", rx("RxSwift"), rx("RxResilience"), nio("NIOCore"), nio("NIOHTTP1"), nio("NIOPosix"),
            ]),
        .testTarget(
            name: "RxInspectorTests",
            dependencies: [
                "RxInspector", rx("RxSwift"), rx("RxResilience"), rx("RxTest"), nio("NIOCore"), nio("NIOHTTP1"),
                nio("NIOPosix"),
            ]),
        // scripts/test-inspector.sh opens the page of this program.
        .executableTarget(
            name: "rx-inspector-fixture", dependencies: ["RxInspector", rx("RxSwift"), rx("RxResilience")],
            path: "Tests/RxInspectorFixture"),
        .testTarget(
            name: "RxNIOTests",
            dependencies: [
                "RxNIO", rx("RxSwift"), rx("RxResilience"), rx("RxTest"),
                nio("NIOCore"), nio("NIOEmbedded"), nio("NIOPosix"),
            ]),
        .testTarget(
            name: "RxObservabilityTests",
            dependencies: [
                "RxObservability", "ServerSupport", rx("RxSwift"), rx("RxResilience"), rx("RxTest"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            ]),
        // Tests send signals to this program.
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

// The other modules need Swift 6.1.
#if compiler(>=6.2)
    package.dependencies.append(.package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"))
    package.products.append(.library(name: "RxConfiguration", targets: ["RxConfiguration"]))
    package.targets += [
        .target(
            name: "RxConfiguration",
            dependencies: [
                rx("RxSwift"), rx("RxResilience"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .testTarget(
            name: "RxConfigurationTests",
            dependencies: [
                "RxConfiguration", rx("RxSwift"), rx("RxResilience"), rx("RxTest"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
    ]
#endif

// Fetched only if the trait is enabled.
#if compiler(>=6.2)
    package.dependencies.append(.package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"))
    for target in package.targets where target.name.hasPrefix("RxInspector") {
        for (product, package) in [("Hummingbird", "hummingbird"), ("ServiceLifecycle", "swift-service-lifecycle")] {
            target.dependencies.append(
                .product(name: product, package: package, condition: .when(traits: ["Hummingbird"])))
        }
    }
#endif
