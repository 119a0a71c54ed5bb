// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "session",
    platforms: [.macOS(.v14), .iOS(.v17)],
    dependencies: [
        // Your app names the repository's URL and a version instead of the path.
        .package(name: "prelude-session", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "Session", dependencies: [.product(name: "PreludeSession", package: "prelude-session")])
    ]
)
