// swift-tools-version: 6.1
import PackageDescription

// Programs that show the library at work. A package of its own, and never published, so that nobody who uses the
// library fetches what its examples need.
let package = Package(
    name: "Examples",
    dependencies: [
        .package(name: "RxSwift", path: "..")
    ],
    targets: [
        .executableTarget(name: "bounded", dependencies: [.product(name: "RxSwift", package: "RxSwift")])
    ]
)
