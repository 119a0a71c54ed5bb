// swift-tools-version: 6.1
import PackageDescription

/// The SDK and the verifier run on old systems; the service's runtime needs macOS 15.
/// `scripts/*` set this variable, so an app that links the SDK never sees the higher floor.
let buildsService = Context.environment["PRELUDE_SESSION_SERVICE"] != nil

/// For what a product reaches beyond the SDK's needs: SwiftPM resolves a package for every app unless each way to it
/// from a product has a condition. `scripts/check-consumer` watches over it.
let inTests: TargetDependencyCondition? = buildsService ? nil : .when(traits: ["Testing"])

/// For the middleware, which most backends do without.
let withHummingbird: TargetDependencyCondition? = buildsService ? nil : .when(traits: ["Hummingbird"])

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// `scripts/fuzz-coverage` sets it: the readers become an archive that libFuzzer is linked to.
let usesLibFuzzer = Context.environment["PRELUDE_SESSION_LIBFUZZER"] != nil

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift", condition: inTests)
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird", condition: inTests)
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log", condition: inTests)
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio", condition: inTests)

/// The examples are packages of their own. Here their tests run with all others, against the service that is built anyway.
let examples: [Target] =
    buildsService
    ? [
        .executableTarget(
            name: "Terminal", dependencies: ["PreludeSession"], path: "Examples/Terminal/Sources/Terminal"),
        .testTarget(
            name: "TerminalTests", dependencies: ["Terminal", "PreludeSessionTesting"],
            path: "Examples/Terminal/Tests/TerminalTests", swiftSettings: [.define("Testing")]),
        .executableTarget(
            name: "Backend",
            dependencies: [
                "PreludeSessionHummingbird", "PreludeSessionVerifier",
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            path: "Examples/Backend/Sources/Backend"),
        .testTarget(
            name: "BackendTests",
            dependencies: [
                "Backend", "PreludeSession", "PreludeSessionTesting", "PreludeSessionVerifier",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
            ],
            path: "Examples/Backend/Tests/BackendTests", swiftSettings: [.define("Testing")]),
    ] : []

let package = Package(
    name: "prelude-session",
    platforms: buildsService
        ? [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2), .macCatalyst(.v18)]
        : [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1), .macCatalyst(.v15)],
    products: [
        .library(name: "PreludeSession", targets: ["PreludeSession"]),
        .library(name: "PreludeSessionVerifier", targets: ["PreludeSessionVerifier"]),
        .library(name: "PreludeSessionHummingbird", targets: ["PreludeSessionHummingbird"]),
        .library(name: "PreludeSessionTesting", targets: ["PreludeSessionTesting"]),
    ],
    traits: [
        .trait(name: "Testing", description: "PreludeSessionTesting: the session service inside an app's unit tests."),
        .trait(name: "Hummingbird", description: "PreludeSessionHummingbird: the verifier as middleware."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // Shared: what crosses the network, and the formats that prove who sent it.
        .target(name: "SessionWire", swiftSettings: strict),
        .target(name: "SessionTokens", dependencies: [crypto], swiftSettings: strict),

        // The SDK.
        .target(
            name: "PreludeSession",
            dependencies: ["SessionWire", "SessionTokens", crypto, httpTypes],
            resources: [.copy("PrivacyInfo.xcprivacy")],
            swiftSettings: strict
        ),

        // The verifier, for backends.
        .target(name: "SessionRSA", dependencies: ["SessionTokens", crypto, cryptoExtras], swiftSettings: strict),
        .target(
            name: "PreludeSessionVerifier",
            dependencies: ["SessionRSA", "SessionTokens", crypto, httpTypes],
            swiftSettings: strict
        ),

        .target(
            name: "PreludeSessionHummingbird",
            dependencies: [
                "PreludeSessionVerifier", httpTypes,
                .product(name: "Hummingbird", package: "hummingbird", condition: withHummingbird),
                .product(name: "NIOCore", package: "swift-nio", condition: withHummingbird),
            ],
            // SwiftPM defines it with the trait.
            swiftSettings: strict + (buildsService ? [.define("Hummingbird")] : [])
        ),

        // The service: rules first, then its edges, then the executable.
        .target(
            name: "SessionDomain", dependencies: ["SessionTokens", "SessionRSA", crypto], swiftSettings: strict),
        .target(
            name: "SessionEgress",
            dependencies: [
                "SessionDomain",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                nioCore,
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "SessionSQLite",
            dependencies: ["SessionDomain", grdb],
            swiftSettings: strict
        ),
        .systemLibrary(
            name: "CSodium",
            pkgConfig: "libsodium",
            providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]
        ),
        .target(name: "SessionArgon2", dependencies: ["SessionDomain", "CSodium"], swiftSettings: strict),
        .target(
            name: "SessionHTTP",
            dependencies: [
                "SessionDomain", "SessionTokens", "SessionWire", hummingbird, httpTypes, logging,
                nioCore,
            ],
            swiftSettings: strict
        ),
        // The service for the unit tests of apps: no system library beyond SQLite, so that it links wherever they run.
        .target(
            name: "PreludeSessionTesting",
            dependencies: [
                "PreludeSession", "SessionDomain", "SessionHTTP", "SessionRSA", "SessionSQLite", "SessionTokens",
                "SessionWire", crypto, httpTypes, hummingbird, logging, nioCore,
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "prelude-session",
            dependencies: [
                "PreludeSession", "SessionArgon2", "SessionDomain", "SessionEgress", "SessionHTTP", "SessionSQLite",
                "SessionTokens", "SessionWire", hummingbird, httpTypes, logging,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict
        ),

        // The proof.
        // Asks the Python in Tests/ForeignJudge for a second opinion.
        .target(
            name: "SessionForeignJudge",
            dependencies: ["SessionTokens"],
            path: "Tests/SessionForeignJudge",
            swiftSettings: strict
        ),
        .testTarget(
            name: "SessionTokensTests",
            dependencies: ["SessionConformance", "SessionForeignJudge", "SessionTokens", crypto],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SessionRSATests",
            dependencies: ["SessionForeignJudge", "SessionRSA", "SessionTokens", crypto, cryptoExtras],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SessionEgressTests",
            dependencies: [
                "SessionDomain", "SessionEgress", "SessionForeignJudge", "SessionTokens",
                nioCore,
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict
        ),
        // What the RFCs ask of tokens and proofs, as mutations of valid ones; whoever verifies any runs all of them.
        .target(
            name: "SessionConformance",
            dependencies: ["SessionRSA", "SessionTokens", crypto],
            path: "Tests/SessionConformance",
            swiftSettings: strict
        ),
        .testTarget(
            name: "PreludeSessionVerifierTests",
            dependencies: [
                "PreludeSessionVerifier", "SessionConformance", "SessionRSA", "SessionTokens", httpTypes, nioCore,
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "PreludeSessionHummingbirdTests",
            dependencies: [
                "PreludeSessionHummingbird", "PreludeSessionVerifier", "SessionConformance", "SessionTokens",
                hummingbird,
                httpTypes, nioCore, .product(name: "HummingbirdTesting", package: "hummingbird"),
            ],
            swiftSettings: strict
        ),
        // The readers of what strangers send, with rules for every input: for the tests, and for libFuzzer.
        .target(
            name: "FuzzReaders",
            dependencies: [
                "SessionArgon2", "SessionConformance", "SessionDomain", "SessionHTTP", "SessionRSA", "SessionTokens",
                "SessionWire", httpTypes, hummingbird, nioCore,
            ],
            path: "Tests/FuzzReaders",
            swiftSettings: strict + (usesLibFuzzer ? [.define("LIBFUZZER")] : [])
        ),
        .testTarget(
            name: "FuzzTests",
            dependencies: [
                "FuzzReaders", "PreludeSessionTesting", "SessionConformance", "SessionDomain", "SessionHTTP",
                "SessionSQLite", "SessionTokens", "SessionWire", httpTypes, hummingbird, nioCore,
            ],
            swiftSettings: strict
        ),
        // What SessionHTTP reads from requests and writes to responses.
        .testTarget(
            name: "SessionHTTPTests",
            dependencies: [
                "PreludeSessionTesting", "SessionDomain", "SessionHTTP", "SessionSQLite", "SessionTokens",
                "SessionWire", httpTypes, hummingbird, logging, nioCore,
            ],
            swiftSettings: strict
        ),
        .testTarget(name: "SessionWireTests", dependencies: ["SessionWire"], swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "PreludeSession", "PreludeSessionHummingbird", "PreludeSessionTesting", "PreludeSessionVerifier",
                "SessionArgon2", "SessionConformance",
                "SessionDomain", "SessionHTTP", "SessionRSA", "SessionSQLite", "SessionTokens", "SessionWire",
                httpTypes, hummingbird, logging, nioCore,
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),
        // As an app would write them: nothing but products.
        .testTarget(
            name: "PreludeSessionTestingTests",
            dependencies: ["PreludeSession", "PreludeSessionTesting", "PreludeSessionVerifier", httpTypes],
            swiftSettings: strict
        ),
        .testTarget(
            name: "PreludeSessionTests",
            dependencies: ["PreludeSession", "SessionWire", crypto, httpTypes],
            swiftSettings: strict
        ),
        // What every store must do; each store's tests run all of it.
        .target(
            name: "SessionStoreContract",
            dependencies: ["SessionDomain", "SessionTokens"],
            path: "Tests/SessionStoreContract",
            swiftSettings: strict
        ),
        .testTarget(
            name: "SessionSQLiteTests",
            dependencies: [
                "SessionDomain", "SessionSQLite", "SessionStoreContract",
                grdb,
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SessionArgon2Tests",
            dependencies: ["SessionArgon2", "SessionDomain"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SessionDomainTests", dependencies: ["SessionDomain", "SessionRSA", "SessionTokens", cryptoExtras],
            swiftSettings: strict),
    ] + examples
)

if usesLibFuzzer {
    package.products.append(.library(name: "FuzzReadersArchive", type: .static, targets: ["FuzzReaders"]))
}
