import SessionDomain
import SessionEgress
import Testing

/// What configuration refuses early, without asking a resolver.
@Suite("Validating a URL")
struct ValidateURLTests {
    /// Fails every test that asks it.
    private struct NoResolver: HostResolver {
        func addresses(of host: String) async throws -> [String] {
            Issue.record("asked for \(host)")
            return []
        }
    }

    private func validate(_ url: String, _ policy: EgressPolicy = EgressPolicy()) async throws {
        try await withEgress(policy, resolver: NoResolver()) { try $0.validate(url: url) }
    }

    @Test(
        "Names and public addresses pass",
        arguments: [
            "https://api.example/hook", "https://8.8.8.8/", "https://[2606:4700::1111]/", "https://134744072/",
        ])
    func accepted(_ url: String) async throws {
        try await validate(url)
    }

    @Test(
        "What is no URL for us is refused as such", arguments: ["http://api.example/", "https://a@api.example/", "x"])
    func refusedURL(_ url: String) async throws {
        let error = await #expect(throws: EgressError.self) { try await validate(url) }
        guard case .refusedURL = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(
        "Special addresses are refused in every spelling, and so are names of the machine itself",
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
        "An allowed network passes, and plain http in development",
        arguments: [
            "http://127.0.0.1/", "http://127.1/", "https://localhost/",
        ])
    func allowed(_ url: String) async throws {
        try await validate(url, .tests())
    }
}
