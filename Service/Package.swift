// swift-tools-version: 6.2
import PackageDescription

// The session service: the program `prelude-session`, and three libraries that contain parts of it. The SDK and the verifier
// are the package around this folder. `scripts/package` writes this folder as a repository of its own.

let core: Target.Dependency = .product(name: "_SessionCore", package: "prelude-session")
let conformance: Target.Dependency = .product(name: "_SessionConformance", package: "prelude-session")
let session: Target.Dependency = .product(name: "PreludeSession", package: "prelude-session")
let sessionUI: Target.Dependency = .product(name: "PreludeSessionUI", package: "prelude-session")
let verifier: Target.Dependency = .product(name: "PreludeSessionVerifier", package: "prelude-session")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let sqlite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore: Target.Dependency = .product(name: "HummingbirdCore", package: "hummingbird")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let asn1: Target.Dependency = .product(name: "SwiftASN1", package: "swift-asn1")
let x509: Target.Dependency = .product(name: "X509", package: "swift-certificates")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let metrics: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")
let tracing: Target.Dependency = .product(name: "Tracing", package: "swift-distributed-tracing")
let hummingbirdTesting: Target.Dependency = .product(name: "HummingbirdTesting", package: "hummingbird")
let nioEmbedded: Target.Dependency = .product(name: "NIOEmbedded", package: "swift-nio")
/// The page of a target for contributors. SwiftPM would warn of a file that it does not know.
let readme = ["README.md"]

let package = Package(
    name: "prelude-session-service",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2), .macCatalyst(.v18)],
    // No product is the program, so apps resolve none of the packages that only the program needs.
    products: [
        .library(name: "PreludeSessionAsyncHTTPClient", targets: ["PreludeSessionAsyncHTTPClient"]),
        .library(name: "PreludeSessionHummingbird", targets: ["PreludeSessionHummingbird"]),
        .library(name: "PreludeSessionTesting", targets: ["PreludeSessionTesting"]),
    ],
    dependencies: [
        .package(name: "prelude-session", path: ".."),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
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
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .target(
            name: "PreludeSessionAsyncHTTPClient",
            dependencies: [session, asyncHTTPClient, httpTypes, nioCore, nioHTTP1, nioPosix, nioSSL], exclude: readme),
        .target(
            name: "PreludeSessionHummingbird",
            dependencies: [verifier, httpTypes, hummingbird, nioCore], exclude: readme),
        .target(name: "SessionDomain", dependencies: ["SessionWebAuthn", core, crypto], exclude: readme),
        .target(
            name: "SessionEgress",
            dependencies: ["SessionDomain", asyncHTTPClient, nioCore, nioHTTP1, nioPosix, nioSSL], exclude: readme),
        .target(name: "SessionSQL", dependencies: ["SessionDomain", core], exclude: readme),
        .target(
            name: "SessionSQLite", dependencies: ["SessionDomain", "SessionSQL", core, grdb, sqlite], exclude: readme),
        .target(name: "CPostgres", publicHeadersPath: "."),
        .target(name: "CEmbeddedFiles", publicHeadersPath: "."),
        .target(
            name: "SessionPostgres", dependencies: ["SessionDomain", "SessionSQL", "CPostgres", core], exclude: readme),
        .systemLibrary(
            name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        .target(name: "SessionWebAuthn", dependencies: [core, asn1, crypto, cryptoExtras, x509], exclude: readme),
        .target(name: "SessionArgon2", dependencies: ["SessionDomain", "CSodium"], exclude: readme),
        .target(
            name: "SessionDelivery",
            dependencies: ["SessionDomain", "SessionEgress", "CCurl", core, nioPosix], exclude: readme),
        .target(name: "SessionTelemetry", dependencies: ["SessionDomain", logging, metrics, tracing], exclude: readme),
        .target(
            name: "SessionHTTP",
            dependencies: [
                "CEmbeddedFiles", "SessionDomain", "SessionWebAuthn", core, crypto, hummingbird, hummingbirdCore,
                httpTypes,
                logging, nioCore, nioHTTP1,
                nioPosix,
            ], exclude: readme + ["OpenAPI/openapi.yaml", "WebClient/prelude-session.js"]),
        .target(
            name: "SessionConsole",
            dependencies: [
                "CEmbeddedFiles", "SessionDomain", "SessionHTTP", core, crypto, httpTypes, hummingbird, hummingbirdCore,
                nioCore,
                .product(name: "Yams", package: "Yams"),
            ], exclude: readme + ["Playground/Scripts"]),
        .executableTarget(
            name: "prelude-session",
            dependencies: [
                "PreludeSessionAsyncHTTPClient", "SessionArgon2", "SessionConsole", "SessionDelivery",
                "SessionDomain", "SessionEgress", "SessionHTTP", "SessionPostgres", "SessionSQL", "SessionSQLite",
                "SessionTelemetry",
                core, session, asyncHTTPClient, crypto, hummingbird, hummingbirdCore, httpTypes, logging, metrics,
                nioCore,
                nioHTTP1, nioPosix, nioSSL, .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"), .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ], exclude: readme),
        .target(
            name: "PreludeSessionTesting",
            dependencies: [
                "SessionDomain", "SessionHTTP", "SessionSQLite", "SessionWebAuthn", core, session, crypto, httpTypes,
                hummingbird, logging, nioCore,
            ], exclude: readme),
        // The requirements for a store. The tests of each store run all of them.
        .target(
            name: "SessionStoreContract", dependencies: ["SessionDomain", core],
            path: "Tests/SessionStoreContract"),
        // The readers of untrusted input, with rules for every input: for the tests, and for libFuzzer.
        .target(
            name: "FuzzReaders",
            dependencies: [
                "SessionArgon2", "SessionConsole", "SessionDomain", "SessionHTTP", "SessionWebAuthn", core, conformance,
                httpTypes, hummingbird, nioCore,
            ],
            path: "Tests/FuzzReaders"),
        .testTarget(
            name: "PreludeSessionAsyncHTTPClientTests",
            dependencies: ["PreludeSessionAsyncHTTPClient", session, asyncHTTPClient, httpTypes, nioCore, nioPosix]),
        .testTarget(
            name: "PreludeSessionUITests",
            dependencies: ["PreludeSessionTesting", session, sessionUI]),
        .testTarget(
            name: "PreludeSessionHummingbirdTests",
            dependencies: [
                "PreludeSessionHummingbird", core, conformance, verifier, httpTypes, hummingbird, hummingbirdTesting,
                nioCore,
            ]),
        .testTarget(
            name: "SessionDomainTests",
            dependencies: ["SessionDomain", "SessionWebAuthn", core, conformance, crypto, cryptoExtras]),
        // Every interleaving of refreshes, by the real decisions of service and SDK.
        .testTarget(
            name: "RotationExplorerTests",
            dependencies: ["SessionDomain", core, session, httpTypes]),
        .testTarget(
            name: "SessionHTTPTests",
            dependencies: [
                "PreludeSessionTesting", "SessionDomain", "SessionHTTP", core, conformance, httpTypes, hummingbird,
                logging, nioCore, nioEmbedded, nioHTTP1, nioPosix,
            ]),
        .testTarget(
            name: "SessionConsoleTests",
            dependencies: [
                "PreludeSessionTesting", "SessionConsole", "SessionDomain", "SessionHTTP", core, httpTypes, hummingbird,
            ]),
        .testTarget(
            name: "SessionEgressTests",
            dependencies: [
                "SessionDomain", "SessionEgress", core, conformance, nioCore, nioEmbedded, nioHTTP1, nioPosix, nioSSL,
            ]),
        .testTarget(
            name: "SessionDeliveryTests",
            dependencies: [
                "SessionDelivery", "SessionDomain", "SessionEgress", core, conformance, nioCore, nioHTTP1, nioPosix,
                nioSSL,
            ]),
        .testTarget(
            name: "SessionSQLiteTests",
            dependencies: [
                "SessionDomain", "SessionSQL", "SessionSQLite", "SessionStoreContract", core, grdb, sqlite,
            ]),
        .testTarget(
            name: "SessionPostgresTests",
            dependencies: [
                "SessionDomain", "SessionPostgres", "SessionSQL", "SessionSQLite", "SessionStoreContract", core,
            ]),
        .testTarget(
            name: "PreludeSessionCommandTests", dependencies: ["prelude-session", "SessionDomain", "SessionSQLite"]),
        .testTarget(
            name: "SessionTelemetryTests",
            dependencies: ["SessionDomain", "SessionTelemetry", logging, metrics, tracing]),
        .testTarget(name: "SessionArgon2Tests", dependencies: ["SessionArgon2", "SessionDomain"]),
        .testTarget(
            name: "SessionWebAuthnTests",
            dependencies: ["SessionWebAuthn", core, conformance, asn1, crypto, cryptoExtras, x509]),
        .testTarget(
            name: "PreludeSessionTestingTests",
            dependencies: [
                "PreludeSessionTesting", "SessionWebAuthn", core, conformance, session, verifier, httpTypes,
            ]),
        .testTarget(
            name: "FuzzTests",
            dependencies: [
                "FuzzReaders", "PreludeSessionTesting", "SessionDomain", "SessionHTTP", "SessionSQLite", core,
                conformance, httpTypes, hummingbird, nioCore,
            ]),
        .executableTarget(
            name: "service-benchmark",
            dependencies: [
                "PreludeSessionHummingbird", "PreludeSessionTesting", "SessionArgon2", "SessionDomain", "SessionHTTP",
                "SessionSQLite", core, verifier, crypto, httpTypes, hummingbird, nioCore, nioPosix,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
            ],
            path: "Benchmarks",
            exclude: ["load.py", "misses.py", "parameters.py", "proofs.py", "sessions.py", "stores.py"]),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "PreludeSessionAsyncHTTPClient", "PreludeSessionHummingbird", "PreludeSessionTesting", "SessionArgon2",
                "SessionDomain", "SessionHTTP", "SessionPostgres", "SessionSQL", "SessionSQLite", core, conformance,
                session,
                verifier, httpTypes, hummingbird, logging, nioCore, nioHTTP1, nioPosix,
            ]),
    ]
)

for target in package.targets where target.type != .system {
    var features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
    // A call of an asynchronous function asks for no thread (SE-0461). The SDK leaves the caller's actor.
    if ["SessionDomain", "SessionSQL", "SessionSQLite", "SessionTelemetry"].contains(target.name) {
        features.append("NonisolatedNonsendingByDefault")
    }
    target.swiftSettings = features.map { .enableUpcomingFeature($0) }
    // Its own code is most of its work.
    if target.name == "RotationExplorerTests" { target.swiftSettings?.append(.unsafeFlags(["-O"])) }
}

// `scripts/package` sets this variable for the tree of a tag. Otherwise `--version` says that the tree has no tag.
if Context.environment["PRELUDE_SESSION_TAGGED"] != nil {
    for target in package.targets where target.name == "prelude-session" {
        target.swiftSettings?.append(.define("TAGGED_RELEASE"))
    }
}

if Context.environment["PRELUDE_SESSION_LIBFUZZER"] != nil {
    package.products.append(.library(name: "FuzzReadersArchive", type: .static, targets: ["FuzzReaders"]))
}
