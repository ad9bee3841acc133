// swift-tools-version: 6.1
import PackageDescription

// A separate package, so that users of the operators alone do not fetch its dependencies. The core is this checkout; in
// the published package, `scripts/split-packages.sh` replaces these two lines by the core's address and name.
let core: Package.Dependency = .package(name: "RxSwift", path: "../..")
let coreName = "RxSwift"

func rx(_ product: String) -> Target.Dependency { .product(name: product, package: coreName) }
func nio(_ product: String) -> Target.Dependency { .product(name: product, package: "swift-nio") }
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")

let package = Package(
    name: "rx-streams",
    products: [
        .library(name: "RxStreams", targets: ["RxStreams"]),
        .library(name: "RxStreamsSQLite", targets: ["RxStreamsSQLite"]),
        .library(name: "RxStreamsPostgreSQL", targets: ["RxStreamsPostgreSQL"]),
        .library(name: "RxStreamsNATS", targets: ["RxStreamsNATS"]),
        .library(name: "RxStreamsConformance", targets: ["RxStreamsConformance"]),
        .executable(name: "rx-orders", targets: ["rx-orders"]),
    ],
    dependencies: [
        core,
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .target(
            name: "RxStreams",
            dependencies: [
                rx("RxSwift"), rx("RxRelay"), rx("RxResilience"), logging,
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .target(
            name: "RxStreamsSQLite",
            dependencies: ["RxStreams", rx("RxSwift"), logging, .product(name: "GRDB", package: "GRDB.swift")]),
        .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .target(
            name: "RxStreamsPostgreSQL",
            dependencies: ["CPostgreSQL", "RxStreams", rx("RxSwift"), rx("RxResilience"), logging]),
        .target(
            name: "RxStreamsNATS",
            dependencies: [
                "RxStreams", rx("RxSwift"), logging,
                nio("NIOCore"), nio("NIOPosix"), nio("NIOConcurrencyHelpers"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]),
        // Tests for authors of drivers.
        .target(name: "RxStreamsConformance", dependencies: ["RxStreams", rx("RxSwift"), rx("RxResilience")]),
        .executableTarget(
            name: "rx-orders",
            dependencies: [
                "RxStreams", "RxStreamsSQLite", "RxStreamsPostgreSQL", "RxStreamsNATS", rx("RxSwift"),
                rx("RxResilience"),
                logging, nio("NIOCore"), nio("NIOPosix"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        // Used by scripts/compare-streams.sh.
        .executableTarget(
            name: "rx-nats-bench",
            dependencies: ["RxStreams", "RxStreamsNATS", rx("RxSwift"), logging], path: "Benchmarks/rx-nats-bench"),
        .executableTarget(
            name: "rx-postgres-bench",
            dependencies: [
                "RxStreams", "RxStreamsSQLite", "RxStreamsPostgreSQL", "RxStreamsNATS", rx("RxSwift"),
                rx("RxResilience"), logging,
            ],
            path: "Benchmarks/rx-postgres-bench"),
        .testTarget(
            name: "RxStreamsTests",
            dependencies: [
                "RxStreams", "RxStreamsConformance", rx("RxSwift"), rx("RxResilience"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
            ]),
        // The program that tests kill. No product contains it.
        .executableTarget(
            name: "rx-streams-sqlite-fixture", dependencies: ["RxStreams", "RxStreamsSQLite"],
            path: "Tests/RxStreamsSQLiteFixture"),
        .testTarget(
            name: "RxStreamsSQLiteTests",
            dependencies: [
                "RxStreamsSQLite", "RxStreamsConformance", "rx-streams-sqlite-fixture", rx("RxSwift"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .testTarget(
            name: "RxStreamsPostgreSQLTests",
            dependencies: [
                "RxStreamsPostgreSQL", "RxStreamsSQLite", "RxStreamsConformance", rx("RxSwift"),
            ]),
        .testTarget(name: "RxOrdersTests", dependencies: ["rx-orders"]),
        .testTarget(
            name: "RxStreamsNATSTests",
            dependencies: [
                "RxStreamsNATS", "RxStreamsSQLite", "RxStreamsPostgreSQL", "RxStreamsConformance", rx("RxSwift"),
                logging,
                nio("NIOCore"), nio("NIOPosix"), nio("NIOEmbedded"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
    ]
)

// The gate sets RX_GATE=1. BoringSSL takes half of the build's time, so there Tests/WithoutTLS replaces the two
// packages that contain it. scripts/nightly.sh builds and tests everything.
if Context.environment["RX_GATE"] == "1" {
    let leftOut = ["rx-nats-bench", "rx-postgres-bench"]
    package.targets.removeAll { leftOut.contains($0.name) }
    package.dependencies.removeAll { dependency in
        guard case .sourceControl(_, let location, _) = dependency.kind else { return false }
        return location.hasSuffix("/swift-nio-ssl") || location.hasSuffix("/swift-crypto")
    }
    for target in package.targets {
        target.dependencies = target.dependencies.map { dependency in
            guard case .productItem(let name, _, _, _) = dependency, ["NIOSSL", "Crypto"].contains(name) else {
                return dependency
            }
            return .target(name: name)
        }
    }
    for target in package.targets where target.name == "RxStreamsNATSTests" {
        target.exclude = ["ConnectionTests+TLS.swift"]
    }
    package.targets += [
        .target(name: "NIOSSL", dependencies: [nio("NIOCore")], path: "Tests/WithoutTLS/NIOSSL"),
        .target(name: "Crypto", path: "Tests/WithoutTLS/Crypto"),
    ]
}
