import SessionDomain
import SessionEgress

extension EgressPolicy {
    /// The policy of the tests: plain http, and the IPv4 loopback allowed.
    static func tests(_ change: (inout EgressPolicy) -> Void = { _ in }) -> EgressPolicy {
        var policy = EgressPolicy(
            allowsPlainHTTP: true, allowedNetworks: ["127.0.0.0/8"].compactMap(IPNetwork.init))
        // Longer than any test runs: tests check whether a connection is shared, not for how long.
        policy.keepAlive = 600
        change(&policy)
        return policy
    }
}

/// Runs the body with a client and shuts the client down afterwards.
@discardableResult
func withEgress<Answer>(
    _ policy: EgressPolicy = .tests(), resolver: (any HostResolver)? = nil,
    _ body: (EgressClient) async throws -> Answer
) async throws -> Answer {
    let client = try resolver.map { try EgressClient(policy: policy, resolver: $0) } ?? EgressClient(policy: policy)
    do {
        let answer = try await body(client)
        await client.shutdown()
        return answer
    } catch {
        await client.shutdown()
        throw error
    }
}

/// Runs the body with a server and stops the server afterwards.
@discardableResult
func withServer<Answer>(
    _ reply: TestServer.Reply, address: String = "127.0.0.1", tls: TestCertificates? = nil,
    _ body: (TestServer) async throws -> Answer
) async throws -> Answer {
    let server = try await TestServer.start(reply, address: address, tls: tls)
    do {
        let answer = try await body(server)
        try await server.stop()
        return answer
    } catch {
        try await server.stop()
        throw error
    }
}
