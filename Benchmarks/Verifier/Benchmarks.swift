/// The benchmarks of the verifier, one per file.
let benchmarks: @Sendable () -> Void = {
    for algorithm in Issuer.Algorithm.allCases { bearerToken(algorithm) }
    boundToken()
}

/// A benchmark did not execute the operation that it measures.
struct Unexpected: Error {}
