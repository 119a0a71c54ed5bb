/// What the verifier costs a backend; each in a file of its own.
let benchmarks: @Sendable () -> Void = {
    for algorithm in Issuer.Algorithm.allCases { bearerToken(algorithm) }
    boundToken()
}

/// A benchmark did not do what it measures.
struct Unexpected: Error {}
