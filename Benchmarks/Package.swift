// swift-tools-version: 6.1
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let benchmark: Target.Dependency = .product(name: "Benchmark", package: "benchmark")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let verifier: Target.Dependency = .product(name: "PreludeSessionVerifier", package: "prelude-session")
let session: Target.Dependency = .product(name: "PreludeSession", package: "prelude-session")

/// A package of its own, so that nobody who links the SDK or runs its tests resolves any of this.
let package = Package(
    name: "prelude-session-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "prelude-session", path: ".."),
        // Without its traits: we count allocations ourselves, and need none of the interposers it would fetch.
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    ],
    targets: [
        // What is measured: one target a subject, in a folder right here, where the plugin looks for it.
        .executableTarget(
            name: "ClientBenchmarks",
            dependencies: ["LoopbackServer", "Measurement", "PlayedService", benchmark, crypto, session],
            path: "Client",
            swiftSettings: strict,
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        ),
        .executableTarget(
            name: "VerifierBenchmarks",
            dependencies: ["Measurement", benchmark, crypto, cryptoExtras, httpTypes, verifier],
            path: "Verifier",
            swiftSettings: strict,
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        ),

        // What measures.
        .target(name: "AllocationCount", path: "Support/AllocationCount"),
        .target(
            name: "Measurement", dependencies: ["AllocationCount", benchmark], path: "Support/Measurement",
            swiftSettings: strict),
        .target(name: "LoopbackServer", path: "Support/LoopbackServer", swiftSettings: strict),
        .target(
            name: "PlayedService", dependencies: [crypto, httpTypes, session], path: "Support/PlayedService",
            swiftSettings: strict),
    ]
)
