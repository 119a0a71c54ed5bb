// swift-tools-version: 6.2
import PackageDescription

// Tools: Swift 6.2, which is Xcode 26. The SDK itself needs the system SDKs of Xcode 16.3. The session service, its command and
// the libraries that contain parts of it are the package in `Service`, which depends on this one.

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
/// The page of a target for contributors. SwiftPM would warn of a file that it does not know.
let readme = ["README.md"]

let package = Package(
    name: "prelude-session",
    defaultLocalization: "en",
    platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1), .macCatalyst(.v15)],
    products: [
        .library(name: "PreludeSession", targets: ["PreludeSession"]),
        .library(name: "PreludeSessionUI", targets: ["PreludeSessionUI"]),
        .library(name: "PreludeSessionVerifier", targets: ["PreludeSessionVerifier"]),
        // No API: what the service needs of these targets, and for its tests. Any version may change them.
        .library(name: "_SessionCore", targets: ["SessionWire", "SessionTokens", "SessionRSA"]),
        .library(name: "_SessionConformance", targets: ["SessionConformance", "SessionForeignJudge"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    ],
    targets: [
        .target(name: "SessionWire", exclude: readme),
        .target(name: "SessionTokens", dependencies: [crypto], exclude: readme),
        .target(name: "SessionRSA", dependencies: ["SessionTokens", crypto, cryptoExtras], exclude: readme),
        .target(
            name: "PreludeSession", dependencies: ["SessionWire", "SessionTokens", crypto, httpTypes], exclude: readme,
            resources: [.copy("PrivacyInfo.xcprivacy"), .process("Resources/PreludeSessionErrors.xcstrings")]),
        .target(
            name: "PreludeSessionUI", dependencies: ["PreludeSession"], exclude: readme,
            resources: [.process("Resources")]),
        .target(
            name: "PreludeSessionVerifier", dependencies: ["SessionRSA", "SessionTokens", crypto, httpTypes],
            exclude: readme),
        .target(name: "SessionForeignJudge", dependencies: ["SessionTokens"], path: "Tests/SessionForeignJudge"),
        .target(
            name: "SessionConformance", dependencies: ["SessionRSA", "SessionTokens", crypto],
            path: "Tests/SessionConformance"),
        .testTarget(name: "SessionWireTests", dependencies: ["SessionWire"]),
        .testTarget(
            name: "SessionTokensTests",
            dependencies: ["SessionConformance", "SessionForeignJudge", "SessionTokens", crypto]),
        .testTarget(
            name: "SessionRSATests",
            dependencies: [
                "SessionConformance", "SessionForeignJudge", "SessionRSA", "SessionTokens", crypto, cryptoExtras,
            ]),
        .testTarget(name: "PreludeSessionTests", dependencies: ["PreludeSession", "SessionWire", crypto, httpTypes]),
        .testTarget(
            name: "PreludeSessionVerifierTests",
            dependencies: [
                "PreludeSessionVerifier", "SessionConformance", "SessionForeignJudge", "SessionRSA", "SessionTokens",
                httpTypes,
            ]),
    ]
)

for target in package.targets {
    target.swiftSettings = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
        .map { .enableUpcomingFeature($0) }
}
