// swift-tools-version: 6.1
import PackageDescription

// In an app of your own: .package(url: "https://…/prelude-session", from: "…", traits: ["Hummingbird"])
let package = Package(
    name: "example-backend",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(path: "../..", traits: ["Hummingbird"]),
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
        )
    ]
)
