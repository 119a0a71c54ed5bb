// swift-tools-version: 6.2
import PackageDescription

// Tools: Swift 6.2, which is Xcode 26. Dependencies of the service have manifests for it. The SDK itself needs the system
// SDKs of Xcode 16.3. An app project can enable a trait in Xcode 26.4 and later; with an older one, a package between does.

/// `scripts/environment` sets this variable. With it, this manifest describes the service, the examples and all tests.
/// Without it, it is what apps see. Sources are marked for the systems of the SDK. Swift Testing rejects a marked suite.
let buildsService = Context.environment["PRELUDE_SESSION_SERVICE"] != nil

// Conditional wherever they are used, so that apps resolve none of them. `scripts/check-consumer` tests it.
let testing = TargetDependencyCondition.when(traits: ["Testing"])
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift", condition: testing)
let sqlite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift", condition: testing)
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log", condition: testing)
let hummingbird: Target.Dependency = .product(
    name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Hummingbird", "Testing"]))
let hummingbirdCore: Target.Dependency = .product(name: "HummingbirdCore", package: "hummingbird", condition: testing)
let nioCore: Target.Dependency = .product(
    name: "NIOCore", package: "swift-nio", condition: .when(traits: ["AsyncHTTPClient", "Hummingbird", "Testing"]))
let sockets = TargetDependencyCondition.when(traits: ["AsyncHTTPClient", "Testing"])
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio", condition: sockets)
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio", condition: sockets)
let http = TargetDependencyCondition.when(traits: ["AsyncHTTPClient"])
let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client", condition: http)
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl", condition: http)
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let metrics: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")
let tracing: Target.Dependency = .product(name: "Tracing", package: "swift-distributed-tracing")
let hummingbirdTesting: Target.Dependency = .product(name: "HummingbirdTesting", package: "hummingbird")
let nioEmbedded: Target.Dependency = .product(name: "NIOEmbedded", package: "swift-nio")

let package = Package(
    name: "prelude-session",
    defaultLocalization: "en",
    platforms: buildsService
        ? [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2), .macCatalyst(.v18)]
        : [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1), .macCatalyst(.v15)],
    products: [
        .library(name: "PreludeSession", targets: ["PreludeSession"]),
        .library(name: "PreludeSessionAsyncHTTPClient", targets: ["PreludeSessionAsyncHTTPClient"]),
        .library(name: "PreludeSessionUI", targets: ["PreludeSessionUI"]),
        .library(name: "PreludeSessionVerifier", targets: ["PreludeSessionVerifier"]),
        .library(name: "PreludeSessionHummingbird", targets: ["PreludeSessionHummingbird"]),
        .library(name: "PreludeSessionTesting", targets: ["PreludeSessionTesting"]),
    ],
    traits: [
        .trait(name: "Testing", description: "PreludeSessionTesting: the session service inside an app's unit tests."),
        .trait(name: "Hummingbird", description: "PreludeSessionHummingbird: the verifier as middleware."),
        .trait(name: "AsyncHTTPClient", description: "PreludeSessionAsyncHTTPClient: a transport for Linux."),
        .default(enabledTraits: buildsService ? ["AsyncHTTPClient", "Hummingbird", "Testing"] : []),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .target(name: "SessionWire"),
        .target(name: "SessionTokens", dependencies: [crypto]),
        .target(
            name: "PreludeSession", dependencies: ["SessionWire", "SessionTokens", crypto, httpTypes],
            resources: [.copy("PrivacyInfo.xcprivacy"), .process("Resources/PreludeSessionErrors.xcstrings")]),
        .target(
            name: "PreludeSessionAsyncHTTPClient",
            dependencies: ["PreludeSession", asyncHTTPClient, httpTypes, nioCore, nioHTTP1, nioPosix, nioSSL]),
        .target(name: "PreludeSessionUI", dependencies: ["PreludeSession"], resources: [.process("Resources")]),
        .target(name: "SessionRSA", dependencies: ["SessionTokens", crypto, cryptoExtras]),
        .target(name: "PreludeSessionVerifier", dependencies: ["SessionRSA", "SessionTokens", crypto, httpTypes]),
        .target(
            name: "PreludeSessionHummingbird",
            dependencies: ["PreludeSessionVerifier", httpTypes, hummingbird, nioCore]),
        .target(name: "SessionDomain", dependencies: ["SessionTokens", "SessionRSA", crypto]),
        .target(
            name: "SessionEgress",
            dependencies: [
                "SessionDomain", .product(name: "AsyncHTTPClient", package: "async-http-client"), nioCore, nioHTTP1,
                nioPosix, nioSSL,
            ]),
        .target(name: "SessionSQLite", dependencies: ["SessionDomain", grdb, sqlite]),
        .target(name: "SessionPostgres", dependencies: ["SessionDomain", "SessionTokens", "CPostgres"]),
        .systemLibrary(
            name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
        .target(name: "SessionArgon2", dependencies: ["SessionDomain", "CSodium", "CHashMemory"]),
        .target(
            name: "SessionDelivery",
            dependencies: ["SessionDomain", "SessionEgress", "SessionTokens", "CCurl", nioPosix]),
        .target(name: "SessionTelemetry", dependencies: ["SessionDomain", logging, metrics, tracing]),
        .target(
            name: "SessionHTTP",
            dependencies: [
                "SessionDomain", "SessionTokens", "SessionWire", crypto, hummingbird, hummingbirdCore, httpTypes,
                logging, nioCore, nioHTTP1, nioPosix,
            ], resources: ["docs/openapi.yaml", "clients/web/prelude-session.js"].map { .embedInCode("../../" + $0) }),
        .target(
            name: "SessionConsole",
            dependencies: [
                "SessionDomain", "SessionHTTP", "SessionTokens", crypto, httpTypes, hummingbird, hummingbirdCore,
                nioCore, .product(name: "Yams", package: "Yams"),
            ], resources: [.embedInCode("Playground/Scripts")]),
        .executableTarget(
            name: "prelude-session",
            dependencies: [
                "CHotCode", "PreludeSession", "PreludeSessionAsyncHTTPClient", "SessionArgon2", "SessionConsole",
                "SessionDelivery", "SessionDomain", "SessionEgress", "SessionHTTP", "SessionPostgres", "SessionSQLite",
                "SessionTelemetry", "SessionTokens", "SessionWire", crypto, hummingbird, hummingbirdCore, httpTypes,
                logging, metrics, nioCore, nioHTTP1, nioSSL,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"), .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]),
        .target(
            name: "PreludeSessionTesting",
            dependencies: [
                "PreludeSession", "SessionDomain", "SessionHTTP", "SessionRSA", "SessionSQLite", "SessionTokens",
                "SessionWire", crypto, httpTypes, hummingbird, logging, nioCore,
            ]),
        .target(name: "SessionForeignJudge", dependencies: ["SessionTokens"], path: "Tests/SessionForeignJudge"),
        .target(
            name: "SessionConformance", dependencies: ["SessionRSA", "SessionTokens", crypto],
            path: "Tests/SessionConformance"),
        // The requirements for a store. The tests of each store run all of them.
        .target(
            name: "SessionStoreContract", dependencies: ["SessionDomain", "SessionTokens"],
            path: "Tests/SessionStoreContract"),
        // The readers of untrusted input, with rules for every input: for the tests, and for libFuzzer.
        .target(
            name: "FuzzReaders",
            dependencies: [
                "SessionArgon2", "SessionConformance", "SessionConsole", "SessionDomain", "SessionHTTP", "SessionRSA",
                "SessionTokens", "SessionWire", httpTypes, hummingbird, nioCore,
            ],
            path: "Tests/FuzzReaders"),
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
            name: "PreludeSessionAsyncHTTPClientTests",
            dependencies: [
                "PreludeSession", "PreludeSessionAsyncHTTPClient", asyncHTTPClient, httpTypes, nioCore, nioPosix,
            ]),
        .testTarget(
            name: "PreludeSessionUITests",
            dependencies: ["PreludeSession", "PreludeSessionTesting", "PreludeSessionUI"]),
        .testTarget(
            name: "PreludeSessionVerifierTests",
            dependencies: [
                "PreludeSessionVerifier", "SessionConformance", "SessionForeignJudge", "SessionRSA", "SessionTokens",
                httpTypes, nioCore, nioHTTP1, nioPosix,
            ]),
        .testTarget(
            name: "PreludeSessionHummingbirdTests",
            dependencies: [
                "PreludeSessionHummingbird", "PreludeSessionVerifier", "SessionConformance", "SessionTokens",
                httpTypes, hummingbird, hummingbirdTesting, nioCore,
            ]),
        .testTarget(
            name: "SessionDomainTests",
            dependencies: ["SessionConformance", "SessionDomain", "SessionRSA", "SessionTokens", crypto, cryptoExtras]),
        // Every interleaving of refreshes, by the real decisions of service and SDK.
        .testTarget(
            name: "RotationExplorerTests",
            dependencies: ["PreludeSession", "SessionDomain", "SessionTokens", "SessionWire", httpTypes]),
        .testTarget(
            name: "SessionHTTPTests",
            dependencies: [
                "PreludeSessionTesting", "SessionConformance", "SessionDomain", "SessionHTTP", "SessionTokens",
                "SessionWire", httpTypes, hummingbird, logging, nioCore, nioEmbedded, nioHTTP1, nioPosix,
            ]),
        .testTarget(
            name: "SessionConsoleTests",
            dependencies: [
                "PreludeSessionTesting", "SessionConsole", "SessionDomain", "SessionHTTP", "SessionTokens", httpTypes,
                hummingbird,
            ]),
        .testTarget(
            name: "SessionEgressTests",
            dependencies: [
                "SessionDomain", "SessionEgress", "SessionForeignJudge", "SessionTokens", nioCore, nioEmbedded,
                nioHTTP1, nioPosix, nioSSL,
            ]),
        .testTarget(
            name: "SessionDeliveryTests",
            dependencies: [
                "SessionDelivery", "SessionDomain", "SessionEgress", "SessionForeignJudge", "SessionTokens", nioCore,
                nioHTTP1, nioPosix, nioSSL,
            ]),
        .testTarget(
            name: "SessionSQLiteTests",
            dependencies: ["SessionDomain", "SessionSQLite", "SessionStoreContract", grdb, sqlite]),
        .testTarget(
            name: "SessionPostgresTests",
            dependencies: ["SessionDomain", "SessionPostgres", "SessionSQLite", "SessionStoreContract"]),
        .testTarget(
            name: "PreludeSessionCommandTests", dependencies: ["prelude-session", "SessionDomain", "SessionSQLite"]),
        .testTarget(
            name: "SessionTelemetryTests",
            dependencies: ["SessionDomain", "SessionTelemetry", logging, metrics, tracing]),
        .testTarget(name: "SessionArgon2Tests", dependencies: ["SessionArgon2", "SessionDomain", "CHashMemory"]),
        .testTarget(
            name: "PreludeSessionTestingTests",
            dependencies: ["PreludeSession", "PreludeSessionTesting", "PreludeSessionVerifier", httpTypes]),
        .testTarget(
            name: "FuzzTests",
            dependencies: [
                "FuzzReaders", "PreludeSessionTesting", "SessionConformance", "SessionDomain", "SessionHTTP",
                "SessionSQLite", "SessionTokens", "SessionWire", httpTypes, hummingbird, nioCore,
            ]),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "PreludeSession", "PreludeSessionAsyncHTTPClient", "PreludeSessionHummingbird", "PreludeSessionTesting",
                "PreludeSessionVerifier", "SessionArgon2", "SessionConformance", "SessionDomain", "SessionHTTP",
                "SessionPostgres", "SessionRSA", "SessionSQLite", "SessionTokens", "SessionWire", httpTypes,
                hummingbird, logging, nioCore, nioPosix,
            ]),
    ]
)
package.targets += ["CCurl", "CHashMemory", "CHotCode", "CPostgres"].map { .target(name: $0, publicHeadersPath: ".") }

// The Apple systems that the service needs, mainly for `Mutex`, for declarations that `@available(service, *)` marks. The
// package declares the systems of the SDK. `scripts/check-availability` finds missing marks.
let service = "AvailabilityMacro=service:macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, macCatalyst 18"

for target in package.targets where target.type != .system {
    var features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
    // In the service, a call of an asynchronous function asks for no thread (SE-0461). The SDK leaves the caller's actor.
    if ["SessionDomain", "SessionSQLite", "SessionTelemetry"].contains(target.name) {
        features.append("NonisolatedNonsendingByDefault")
    }
    target.swiftSettings = [.enableExperimentalFeature(service)] + features.map { .enableUpcomingFeature($0) }
    // Its own code is most of its work. SwiftPM accepts such a flag in the root package only, so apps must not see it.
    if buildsService, target.name == "RotationExplorerTests" { target.swiftSettings?.append(.unsafeFlags(["-O"])) }
}

// `scripts/package` sets this variable for the tree of a tag. Otherwise `--version` says that the tree has no tag.
if Context.environment["PRELUDE_SESSION_TAGGED"] != nil {
    for target in package.targets where target.name == "prelude-session" {
        target.swiftSettings?.append(.define("TAGGED_RELEASE"))
    }
}

// The examples are packages of their own. Apps must not see these targets: theirs may have the same names.
if buildsService {
    package.dependencies.append(.package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"))
    package.targets += [
        .executableTarget(
            name: "service-benchmark",
            dependencies: [
                "PreludeSessionHummingbird", "PreludeSessionTesting", "PreludeSessionVerifier", "SessionArgon2",
                "SessionDomain", "SessionHTTP", "SessionSQLite", "SessionTokens", "SessionWire", crypto, httpTypes,
                hummingbird, nioCore, nioPosix, .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
            ],
            path: "Benchmarks/Service",
            exclude: ["load.py", "misses.py", "parameters.py", "proofs.py", "sessions.py", "stores.py"]),
        .executableTarget(
            name: "Terminal", dependencies: ["PreludeSession", "PreludeSessionAsyncHTTPClient"],
            path: "Examples/Terminal/Sources/Terminal"),
        .testTarget(
            name: "TerminalTests", dependencies: ["Terminal", "PreludeSessionTesting"],
            path: "Examples/Terminal/Tests/TerminalTests"),
        .executableTarget(
            name: "Backend", dependencies: ["PreludeSessionHummingbird", "PreludeSessionVerifier", hummingbird],
            path: "Examples/Backend/Sources/Backend"),
        .testTarget(
            name: "BackendTests",
            dependencies: [
                "Backend", "PreludeSession", "PreludeSessionTesting", "PreludeSessionVerifier", hummingbird,
                hummingbirdTesting,
            ],
            path: "Examples/Backend/Tests/BackendTests"),
    ]
}

if Context.environment["PRELUDE_SESSION_LIBFUZZER"] != nil {
    package.products.append(.library(name: "FuzzReadersArchive", type: .static, targets: ["FuzzReaders"]))
}
