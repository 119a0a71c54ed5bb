import NIOHTTP1
import SessionDomain
import SessionEgress
import Testing

/// DNS that lies: the connection goes to the address that was judged, or nowhere.
@Suite("Pinning", .timeLimit(.minutes(1)))
struct PinningTests {
    @Test("A name that only our resolver knows is reached: nobody else resolves")
    func pinned() async throws {
        let resolver = LyingResolver(["127.0.0.1"])
        try await withServer(.answer(.ok)) { server in
            let url = "http://Service.Invalid:\(server.port)/"
            _ = try await withEgress(resolver: resolver) { try await $0.send(EgressRequest(.get, url)) }
            #expect(server.requests.first?.head.headers["host"] == ["service.invalid:\(server.port)"])
        }
        #expect(resolver.questions == ["service.invalid"])
    }

    @Test("Rebinding: a name is resolved once a call, so an answer that changes later is nobody's answer")
    func rebinding() async throws {
        let resolver = LyingResolver(["127.0.0.1"], ["10.0.0.1"])
        try await withServer(.answer(.ok)) { server in
            try await withEgress(resolver: resolver) { egress in
                let url = "http://service.invalid:\(server.port)/"
                let answer = try await egress.send(EgressRequest(.get, url))
                #expect(answer.status == 200)
                #expect(resolver.questions.count == 1)
                #expect(server.requests.count == 1)
                // The connection is still open, and no excuse: the next call judges the next answer.
                await expectRefusedAddress { try await egress.send(EgressRequest(.get, url)) }
                #expect(resolver.questions.count == 2)
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test("Of several addresses the first acceptable one is used")
    func firstAcceptable() async throws {
        let resolver = LyingResolver(["10.0.0.1", "169.254.169.254", "::1", "127.0.0.1"])
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
        "A connection to another address than the judged one is closed before anything is sent",
        .enabled { await hasIPv6Loopback() })
    func lastLook() async throws {
        // An IPv6 address in a URL is what the HTTP client connects to, whatever it was told; so the peer is looked at.
        try await withServer(.answer(.ok), address: "::1") { server in
            try await withEgress(resolver: LyingResolver(["127.0.0.1"])) { egress in
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

    @Test("A name without addresses, and a resolver that speaks nonsense, lead nowhere")
    func noAddress() async throws {
        try await withEgress(resolver: LyingResolver([], ["nonsense"], ["127.0.0.1%lo"])) { egress in
            await #expect(throws: EgressError.cannotResolve("service.invalid has no address.")) {
                try await egress.send(EgressRequest(.get, "https://service.invalid/"))
            }
            for _ in 0..<2 {
                await expectRefusedAddress { try await egress.send(EgressRequest(.get, "https://service.invalid/")) }
            }
        }
    }
}

/// Expects `EgressError.refusedAddress`, whatever its text.
func expectRefusedAddress(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> EgressAnswer
) async {
    let error = await #expect(throws: EgressError.self, sourceLocation: sourceLocation) { _ = try await body() }
    guard case .refusedAddress = error else {
        Issue.record("\(String(describing: error))", sourceLocation: sourceLocation)
        return
    }
}
