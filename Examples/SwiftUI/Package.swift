// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "session",
    platforms: [.macOS(.v14), .iOS(.v17)],
    dependencies: [
        // In your app: .package(url: "https://…/prelude-session", from: "…")
        .package(name: "prelude-session", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "Session",
            dependencies: [
                .product(name: "PreludeSession", package: "prelude-session"),
                .product(name: "PreludeSessionUI", package: "prelude-session"),
            ])
    ]
)
