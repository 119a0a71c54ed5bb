// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "example-backend",
    platforms: [.macOS(.v15)],
    dependencies: [
        // In your backend: .package(url: "https://…/prelude-session", from: "…")
        .package(name: "prelude-session", path: "../.."),
        // The middleware, and the service for the tests: .package(url: "https://…/prelude-session-service", from: "…")
        .package(name: "prelude-session-service", path: "../../Service"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    ],
    targets: [
        .executableTarget(
            name: "Backend",
            dependencies: [
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "PreludeSessionHummingbird", package: "prelude-session-service"),
                .product(name: "PreludeSessionVerifier", package: "prelude-session"),
            ]
        ),
        .testTarget(
            name: "BackendTests",
            dependencies: [
                "Backend",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "PreludeSession", package: "prelude-session"),
                .product(name: "PreludeSessionVerifier", package: "prelude-session"),
                .product(name: "PreludeSessionTesting", package: "prelude-session-service"),
            ]),
    ]
)
