internal import Testing

@testable internal import SessionDomain

@Suite("Limits by source address")
struct SourceLimiterTests {
    private let two = RateLimit(limit: 2, window: 600)

    private func take(
        _ limiter: SourceLimiter, _ ip: String, app: String = "domain1", name: LimitName = .invalidCalls,
        limit: RateLimit? = nil, at time: Timestamp = now
    ) throws -> Bool {
        do {
            try limiter.take(
                name, app: appID(app), source: SourceAddress(ip: ip), limit: limit ?? two, now: time)
            return true
        } catch Refusal.rateLimited {
            return false
        }
    }

    // Proves: O8
    @Test("Each app counts for itself (X7)")
    func apps() throws {
        let limiter = SourceLimiter()
        for _ in 1...2 { #expect(try take(limiter, "192.0.2.1", app: "domain1")) }
        #expect(try !take(limiter, "192.0.2.1", app: "domain1"))
        for _ in 1...2 { #expect(try take(limiter, "192.0.2.1", app: "domain2")) }
        #expect(try !take(limiter, "192.0.2.1", app: "domain2"))
    }

    @Test("Kinds and addresses are counted separately, and a mapped IPv4 address is the IPv4 address")
    func separate() throws {
        let limiter = SourceLimiter()
        for _ in 1...2 { #expect(try take(limiter, "192.0.2.1")) }
        #expect(try !take(limiter, "::ffff:192.0.2.1"))
        #expect(try take(limiter, "192.0.2.1", name: .sourceManagementKeys))
        #expect(try take(limiter, "192.0.2.2"))
        #expect(try take(limiter, "192.0.2.1", at: now + 600), "a new window")
    }

    // Proves: X7
    @Test(
        "Addresses of one /64 network are one source",
        arguments: ["2001:db8:1:2::1", "2001:DB8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2:0:0:0:9"])
    func customer(ip: String) throws {
        let limiter = SourceLimiter()
        for _ in 1...2 { #expect(try take(limiter, "2001:db8:1:2::7")) }
        #expect(try !take(limiter, ip))
        #expect(try take(limiter, "2001:db8:1:3::7"), "another /64")
    }

    // Proves: X7
    @Test("All /64 networks of a /48 network together have 16 times the limit")
    func site() throws {
        let limiter = SourceLimiter()
        let allowed = try (0..<100).filter { try take(limiter, "2001:db8:1:\(String($0, radix: 16))::1") }
        #expect(allowed.count == 2 * SourceNetwork.siteWidening)
        #expect(try !take(limiter, "2001:db8:1:ffff::1"))
        #expect(try take(limiter, "2001:db8:2:ffff::1"), "another /48")
    }

    @Test("An exempt source is not counted, and text that is no address is one source")
    func others() throws {
        let limiter = SourceLimiter()
        for _ in 1...5 {
            try limiter.take(
                .sourceManagementKeys, app: appID(), source: SourceAddress(ip: "127.0.0.1", isExempt: true), limit: two,
                now: now)
        }
        #expect(limiter.count == 0)
        for _ in 1...2 { #expect(try take(limiter, "unknown")) }
        #expect(try !take(limiter, "unknown"))
    }

    // Proves: O34
    @Test("The number of counters never exceeds the capacity (X12)")
    func bound() throws {
        let limiter = SourceLimiter(capacity: 64, tables: 4)
        for index in 0..<5000 {
            _ = try take(limiter, "2001:db8:\(String(index, radix: 16))::1")
            #expect(limiter.count <= 64)
        }
        #expect(limiter.count > 16)
    }
}
