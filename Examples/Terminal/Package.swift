// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "terminal",
    // For the tests: the service needs macOS 15. The SDK needs macOS 12.
    platforms: [.macOS(.v15)],
    traits: [
        .trait(name: "Testing", description: "The session service for the unit tests: swift test --traits Testing")
    ],
    dependencies: [
        // In your app: .package(url: "https://…/prelude-session", from: "…", traits: ["AsyncHTTPClient"])
        .package(
            name: "prelude-session", path: "../..",
            traits: ["AsyncHTTPClient", .trait(name: "Testing", condition: .when(traits: ["Testing"]))]
        )
    ],
    targets: [
        .executableTarget(
            name: "Terminal",
            dependencies: [
                .product(name: "PreludeSession", package: "prelude-session"),
                .product(name: "PreludeSessionAsyncHTTPClient", package: "prelude-session"),
            ]),
        .testTarget(
            name: "TerminalTests",
            dependencies: [
                "Terminal",
                .product(
                    name: "PreludeSessionTesting", package: "prelude-session", condition: .when(traits: ["Testing"])),
            ]),
    ]
)
