import NIOHTTP1
import SessionDomain
import SessionEgress
import Testing

/// Tests that a connection goes only to an address that was checked, even if DNS gives false answers.
@Suite("Pinning", .timeLimit(.minutes(5)))
struct PinningTests {
    @Test("Only our resolver resolves: a name that no other resolver knows is reached")
    func pinned() async throws {
        let resolver = FakeResolver(["127.0.0.1"])
        try await withServer(.answer(.ok)) { server in
            let url = "http://Service.Invalid:\(server.port)/"
            _ = try await withEgress(resolver: resolver) { try await $0.send(EgressRequest(.get, url)) }
            #expect(server.requests.first?.head.headers["host"] == ["service.invalid:\(server.port)"])
        }
        #expect(resolver.questions == ["service.invalid"])
    }

    @Test("A name is resolved once per call, so DNS rebinding has no effect")
    func rebinding() async throws {
        let resolver = FakeResolver(["127.0.0.1"], ["10.0.0.1"])
        try await withServer(.answer(.ok)) { server in
            try await withEgress(resolver: resolver) { egress in
                let url = "http://service.invalid:\(server.port)/"
                let answer = try await egress.send(EgressRequest(.get, url))
                #expect(answer.status == 200)
                #expect(resolver.questions.count == 1)
                #expect(server.requests.count == 1)
                // The connection is still open. The next call must check the next answer nevertheless.
                await expectRefusedAddress { try await egress.send(EgressRequest(.get, url)) }
                #expect(resolver.questions.count == 2)
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test("The first allowed address is used")
    func firstAllowed() async throws {
        let resolver = FakeResolver(["10.0.0.1", "169.254.169.254", "::1", "127.0.0.1"])
        try await withServer(.answer(.ok)) { server in
            let url = "http://service.invalid:\(server.port)/"
            let answer = try await withEgress(resolver: resolver) { try await $0.send(EgressRequest(.get, url)) }
            #expect(answer.status == 200)
        }
    }

    /// Some containers have no IPv6.
    private static func hasIPv6Loopback() async -> Bool {
        (try? await withServer(.silence, address: "::1") { _ in true }) ?? false
    }

    @Test(
        "A connection to an address that was not checked is closed before anything is sent",
        .enabled { await hasIPv6Loopback() })
    func lastLook() async throws {
        // The HTTP client connects to an IPv6 address of the URL directly, so the check of the peer must catch it.
        try await withServer(.answer(.ok), address: "::1") { server in
            try await withEgress(resolver: FakeResolver(["127.0.0.1"])) { egress in
                let error = await #expect(throws: EgressError.self) {
                    try await egress.send(EgressRequest(.get, "http://[::1]:\(server.port)/"))
                }
                guard case .connectionFailed = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test("A name without addresses and an invalid answer of the resolver are rejected")
    func noAddress() async throws {
        try await withEgress(resolver: FakeResolver([], ["nonsense"], ["127.0.0.1%lo"])) { egress in
            await #expect(throws: EgressError.cannotResolve("service.invalid has no address.")) {
                try await egress.send(EgressRequest(.get, "https://service.invalid/"))
            }
            for _ in 0..<2 {
                await expectRefusedAddress { try await egress.send(EgressRequest(.get, "https://service.invalid/")) }
            }
        }
    }
}

/// Expects `EgressError.refusedAddress` with any text.
func expectRefusedAddress(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> EgressAnswer
) async {
    let error = await #expect(throws: EgressError.self, sourceLocation: sourceLocation) { _ = try await body() }
    guard case .refusedAddress = error else {
        Issue.record("\(String(describing: error))", sourceLocation: sourceLocation)
        return
    }
}
