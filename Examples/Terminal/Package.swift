// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "terminal",
    // For the tests: the service needs macOS 15. The SDK needs macOS 12.
    platforms: [.macOS(.v15)],
    dependencies: [
        // In your app: .package(url: "https://…/prelude-session", from: "…")
        .package(name: "prelude-session", path: "../.."),
        // The transport for Linux, and the service for the tests: .package(url: "https://…/prelude-session-service", from: "…")
        .package(name: "prelude-session-service", path: "../../Service"),
    ],
    targets: [
        .executableTarget(
            name: "Terminal",
            dependencies: [
                .product(name: "PreludeSession", package: "prelude-session"),
                .product(name: "PreludeSessionAsyncHTTPClient", package: "prelude-session-service"),
            ]),
        .testTarget(
            name: "TerminalTests",
            dependencies: [
                "Terminal",
                .product(name: "PreludeSession", package: "prelude-session"),
                .product(name: "PreludeSessionTesting", package: "prelude-session-service"),
            ]),
    ]
)
