import Foundation
import HTTPTypes
import PreludeSession
import PreludeSessionTesting
import SessionConformance
import SessionDomain
import SessionHTTP
import SessionTokens
import SessionWire
import Testing

/// RFC 9449, RFC 8725 and RFC 9068 at the service behind a real socket, with requests that no HTTP client changes.
@Suite("Service on a socket: rules of proofs and tokens")
struct ServiceSocketConformance {
    /// Runs work with a signed-in device while the service listens on a port.
    private func serve(
        _ binding: SessionPolicy.AccessTokenBinding,
        _ work: @escaping @Sendable (RawDevice, Int) async throws -> Void
    ) async throws {
        let device = try await RawDevice(ServiceWorld { $0.sessions.accessTokenBinding = binding })
        try await LoopbackServer.serve(buildRouter(service: device.world.service, edge: EdgeOptions())) { port in
            try await work(device, port)
        }
    }

    private static func refreshing(_ device: RawDevice, proofs: [String]) -> WireRequest {
        var request = WireRequest(
            method: "POST", path: FrontendPath.refresh.rawValue, host: "localhost:8080", body: "{}")
        request.add("X-Refresh-Token", device.refreshToken)
        for proof in proofs { request.add("DPoP", proof) }
        return request
    }

    private static func listing(_ authorization: String..., proofs: [String] = []) -> WireRequest {
        var request = WireRequest(path: FrontendPath.sessions.rawValue, host: "localhost:8080")
        for value in authorization { request.add("Authorization", value) }
        for proof in proofs { request.add("DPoP", proof) }
        return request
    }

    /// The device's access token as a draft, signed with the service's own key.
    private static func draft(of device: RawDevice) async throws -> TokenDraft {
        let app = try await device.world.service.directory.app(device.world.appID)
        let claims = try JWT.unverifiedClaims(of: device.accessToken, as: [String: JSONValue].self)
        return TokenDraft(signer: app.accessKey, claims: claims)
    }

    // Proves: P6
    @Test("A refresh is rejected with every proof that breaks one rule, and then accepted with a valid proof")
    func refreshProofs() async throws {
        try await serve(.bearer) { device, port in
            let valid = device.proof(.post, .refresh)
            try await concurrently(ProofMutation.all) { mutation in
                let proofs = try valid.with { try mutation.change(&$0) }.headers()
                let answer = try await Self.refreshing(device, proofs: proofs).send(to: port)
                let isMissing = mutation.expected == .missing
                #expect(answer.status == (isMissing ? 401 : 400), "\(mutation.rule)")
                #expect(answer.code == (isMissing ? "missing_dpop_proof" : "invalid_dpop_proof"), "\(mutation.rule)")
            }
            #expect(try await Self.refreshing(device, proofs: valid.headers()).send(to: port).status == 200)
        }
    }

    // Proves: P6
    @Test("A bound token is rejected with a proof that breaks one rule, and accepted with a valid proof")
    func listProofs() async throws {
        try await serve(.dpop) { device, port in
            let valid = device.proof(.get, .sessions, accessToken: device.accessToken)
            try await concurrently(ProofMutation.all + ProofMutation.withAccessToken) { mutation in
                let proofs = try valid.with { try mutation.change(&$0) }.headers()
                let answer = try await Self.listing("DPoP " + device.accessToken, proofs: proofs).send(to: port)
                let isMissing = mutation.expected == .missing
                #expect(answer.status == (isMissing ? 401 : 400), "\(mutation.rule)")
                #expect(answer.code == (isMissing ? "missing_dpop_proof" : "invalid_dpop_proof"), "\(mutation.rule)")
                #expect(
                    answer.field("www-authenticate") == #"DPoP error="invalid_dpop_proof", algs="ES256""#,
                    "\(mutation.rule)")
            }
            let answer = try await Self.listing("DPoP " + device.accessToken, proofs: valid.headers()).send(to: port)
            #expect(answer.status == 200)
        }
    }

    @Test("A token that breaks one rule is rejected, and a valid token is accepted")
    func tokens() async throws {
        try await serve(.bearer) { device, port in
            let valid = try await Self.draft(of: device)
            try await concurrently(TokenMutation.all) { mutation in
                let token = try valid.with { try mutation.change(&$0) }.compact()
                let answer = try await Self.listing("Bearer " + token).send(to: port)
                #expect(answer.status == 401, "\(mutation.rule)")
                #expect(answer.code == "unauthorized", "\(mutation.rule)")
                #expect(answer.field("www-authenticate") == #"Bearer error="invalid_token""#, "\(mutation.rule)")
            }
            #expect(try await Self.listing("Bearer " + valid.compact()).send(to: port).status == 200)
        }
    }

    // Proves: P6
    @Test("A bound token that breaks one rule is rejected with a valid proof, and a valid token is accepted")
    func boundTokens() async throws {
        try await serve(.dpop) { device, port in
            let valid = try await Self.draft(of: device)
            @Sendable func request(_ token: String) throws -> WireRequest {
                Self.listing("DPoP " + token, proofs: try device.proof(.get, .sessions, accessToken: token).headers())
            }
            try await concurrently(TokenMutation.all) { mutation in
                let answer = try await request(valid.with { try mutation.change(&$0) }.compact()).send(to: port)
                #expect(answer.status == 401, "\(mutation.rule)")
                #expect(answer.code == "unauthorized", "\(mutation.rule)")
                #expect(
                    answer.field("www-authenticate") == #"DPoP error="invalid_token", algs="ES256""#, "\(mutation.rule)"
                )
            }
            #expect(try await request(valid.compact()).send(to: port).status == 200)
        }
    }

    @Test("A proof with a wrong time gets a nonce and no-store, and is valid with it (RFC 9449 §8, §9)")
    func nonce() async throws {
        try await serve(.dpop) { device, port in
            let iat = JSONValue.int(device.world.clock.timestamp.seconds - 600)
            @Sendable func request(id: String, nonce: String?) throws -> WireRequest {
                let proof = device.proof(.get, .sessions, id: id, accessToken: device.accessToken, nonce: nonce)
                return Self.listing(
                    "DPoP " + device.accessToken, proofs: try proof.with { $0.claims["iat"] = iat }.headers())
            }
            let answer = try await request(id: "late", nonce: nil).send(to: port)
            #expect(answer.status == 400)
            #expect(answer.code == "use_dpop_nonce")
            #expect(answer.field("www-authenticate") == #"DPoP error="use_dpop_nonce", algs="ES256""#)
            #expect(answer.field("cache-control") == "no-store")
            let nonce = try #require(answer.field("dpop-nonce"))
            #expect(try await request(id: "late", nonce: nonce).send(to: port).status == 200)
            #expect(try await request(id: "unknown", nonce: nonce + "x").send(to: port).code == "use_dpop_nonce")
        }
    }

    // Proves: P6
    @Test("Unusual bytes, spellings and repetitions of fields are only rejected (RFC 9110 §5)")
    func fields() async throws {
        try await serve(.bearer) { device, port in
            let proof = try device.proof(.post, .refresh).headers()[0]
            var odd = Self.refreshing(device, proofs: [])
            odd.fields.append(("DPoP", Array(proof.utf8) + [0xFF, 0xFE]))
            #expect(try await odd.send(to: port).code == "invalid_dpop_proof")
            var twice = Self.refreshing(device, proofs: [proof])
            twice.add("dpop", proof)
            #expect(try await twice.send(to: port).code == "invalid_dpop_proof")
            var empty = Self.refreshing(device, proofs: [proof])
            empty.add("dPoP", "")
            #expect(try await empty.send(to: port).code == "invalid_dpop_proof")
            for byte: UInt8 in [0x00, 0x0A, 0x0D] {
                var control = Self.refreshing(device, proofs: [])
                control.fields.append(("DPoP", Array(proof.utf8) + [byte] + Array("x".utf8)))
                #expect(try await control.send(to: port).status == 400, "byte \(byte)")
            }
            let token = "Bearer " + device.accessToken
            let several = try await Self.listing(token, token).send(to: port)
            #expect(several.status == 401)
            #expect(several.field("www-authenticate") == "Bearer")
            // Whitespace around a value is not part of it (§5.5), and names are case-insensitive (§5.1).
            var spaced = Self.refreshing(device, proofs: [])
            spaced.add("dpop", "  \(proof)\t ")
            #expect(try await spaced.send(to: port).status == 200)
        }
    }
}

/// Runs work for all values concurrently.
func concurrently<Value: Sendable>(
    _ values: [Value], _ work: @escaping @Sendable (Value) async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for value in values { group.addTask { try await work(value) } }
        try await group.waitForAll()
    }
}
