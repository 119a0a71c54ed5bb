// swift-tools-version: 6.2
import PackageDescription

let benchmark: Target.Dependency = .product(name: "Benchmark", package: "benchmark")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let verifier: Target.Dependency = .product(name: "PreludeSessionVerifier", package: "prelude-session")
let session: Target.Dependency = .product(name: "PreludeSession", package: "prelude-session")

/// A separate package, so that apps and tests of the SDK do not resolve these dependencies.
let package = Package(
    name: "prelude-session-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "prelude-session", path: ".."),
        // Without its traits: `AllocationCount` counts allocations, so its interposers are not needed.
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    ],
    targets: [
        // The benchmarks, one target per product. The plugin requires their folders here.
        .executableTarget(
            name: "ClientBenchmarks",
            dependencies: ["LoopbackServer", "Measurement", "PlayedService", benchmark, crypto, session],
            path: "Client",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        ),
        .executableTarget(
            name: "VerifierBenchmarks",
            dependencies: ["Measurement", benchmark, crypto, cryptoExtras, httpTypes, verifier],
            path: "Verifier",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        ),

        // Support for the benchmarks.
        .target(name: "AllocationCount", path: "Support/AllocationCount"),
        .target(
            name: "Measurement", dependencies: ["AllocationCount", benchmark], path: "Support/Measurement"),
        .target(name: "LoopbackServer", path: "Support/LoopbackServer"),
        .target(
            name: "PlayedService", dependencies: [crypto, httpTypes, session], path: "Support/PlayedService"),
    ]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
