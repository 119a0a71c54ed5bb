import SessionDomain
import SessionEgress
import Testing

/// Tests what is rejected at configuration, without a resolver.
@Suite("URL validation")
struct ValidateURLTests {
    /// A resolver that fails the test when it is called.
    private struct NoResolver: HostResolver {
        func addresses(of host: String) async throws -> [String] {
            Issue.record("resolved \(host)")
            return []
        }
    }

    private func validate(_ url: String, _ policy: EgressPolicy = EgressPolicy()) async throws {
        try await withEgress(policy, resolver: NoResolver()) { try $0.validate(url: url) }
    }

    @Test(
        "Names and public addresses are valid",
        arguments: [
            "https://api.example/hook", "https://8.8.8.8/", "https://[2606:4700::1111]/", "https://134744072/",
        ])
    func accepted(_ url: String) async throws {
        try await validate(url)
    }

    @Test(
        "A URL that is not https, has a user name or has no scheme is rejected with .refusedURL",
        arguments: ["http://api.example/", "https://a@api.example/", "x"])
    func refusedURL(_ url: String) async throws {
        let error = await #expect(throws: EgressError.self) { try await validate(url) }
        guard case .refusedURL = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(
        "Special addresses in any spelling and names of the local machine are rejected",
        arguments: [
            "127.0.0.1", "127.1", "0x7f.1", "2130706433", "0177.0.0.1", "0", "10.0.0.1", "169.254.169.254",
            "0xa9fea9fe",
            "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:a9fe:a9fe]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]",
            "[fd00:ec2::254]", "localhost", "LOCALHOST", "db.localhost",
        ])
    func refusedAddress(_ host: String) async throws {
        let error = await #expect(throws: EgressError.self) { try await validate("https://\(host)/") }
        guard case .refusedAddress = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(
        "Addresses of an allowed network are valid, and plain http if the policy allows it",
        arguments: [
            "http://127.0.0.1/", "http://127.1/", "https://localhost/",
        ])
    func allowed(_ url: String) async throws {
        try await validate(url, .tests())
    }
}
