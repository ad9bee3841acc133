// swift-tools-version: 5.9
import PackageDescription

// A package written for the original RxSwift that does not know of this replacement.
let package = Package(
    name: "Dependency",
    products: [.library(name: "Dependency", targets: ["Dependency"])],
    dependencies: [.package(url: "https://github.com/ReactiveX/RxSwift.git", from: "6.0.0")],
    targets: [.target(name: "Dependency", dependencies: ["RxSwift", .product(name: "RxRelay", package: "RxSwift")])]
)
