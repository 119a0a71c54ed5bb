import SessionDomain

/// A rate limit, in requests and in responses.
struct RateLimitBody: Codable {
    /// The length of the window in nanoseconds.
    let ttl: Int64
    let limit: Int

    init(_ limit: RateLimit) {
        ttl = Int64(limit.window) * 1_000_000_000
        self.limit = limit.limit
    }

    var rateLimit: RateLimit { RateLimit(limit: limit, window: Int(ttl / 1_000_000_000)) }
}
