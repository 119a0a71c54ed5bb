// swift-tools-version: 6.2
import PackageDescription

let benchmark: Target.Dependency = .product(name: "Benchmark", package: "benchmark")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let verifier: Target.Dependency = .product(name: "PreludeSessionVerifier", package: "prelude-session")
let session: Target.Dependency = .product(name: "PreludeSession", package: "prelude-session")

// A separate package, so that apps with the SDK, and the tests, do not resolve these dependencies.
let package = Package(
    name: "prelude-session-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "prelude-session", path: ".."),
        // Without its traits, which add allocation counters. `AllocationCount` counts allocations instead.
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    ],
    targets: [
        // The benchmarks. The plugin requires their folders to be in this directory.
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

        // Support.
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
