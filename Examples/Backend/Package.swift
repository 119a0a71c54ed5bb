// swift-tools-version: 6.2
import PackageDescription

// In your app: .package(url: "https://…/prelude-session", from: "…", traits: ["Hummingbird"])
let package = Package(
    name: "example-backend",
    platforms: [.macOS(.v15)],
    traits: [
        .trait(name: "Testing", description: "The session service for the unit tests: swift test --traits Testing")
    ],
    dependencies: [
        .package(
            name: "prelude-session", path: "../..",
            traits: ["Hummingbird", .trait(name: "Testing", condition: .when(traits: ["Testing"]))]),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    ],
    targets: [
        .executableTarget(
            name: "Backend",
            dependencies: [
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "PreludeSessionHummingbird", package: "prelude-session"),
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
                .product(
                    name: "PreludeSessionTesting", package: "prelude-session", condition: .when(traits: ["Testing"])),
            ]),
    ]
)
