import Foundation
import Hummingbird
@_spi(Service) import PreludeSession
import PreludeSessionHummingbird
import PreludeSessionTesting
import PreludeSessionVerifier
import SessionConformance
import SessionDomain
import SessionTokens
import Testing

/// RFC 9449, RFC 8725 and RFC 9068 at a backend with the verifier's middleware, behind a real socket.
@Suite("Backend on a socket: rules of proofs and tokens")
struct BackendSocketConformance {
    private static let url = "https://api.example.com/v1/orders"

    /// A client of the backend, and the tokens and proofs that it sends.
    private struct Caller: Sendable {
        let clock: TestService.Clock
        let port: Int

        var token: TokenDraft {
            TokenDraft(
                signer: PublishedKeys.service, issuer: "session.example.com", audience: "testapp",
                now: clock.timestamp.seconds)
        }

        func proof(for token: String, id: String = "e1j3V_bKic8-LAEB", nonce: String? = nil) -> ProofDraft {
            ProofDraft(
                method: "GET", url: BackendSocketConformance.url, accessToken: token, nonce: nonce, id: id,
                issuedAt: clock.timestamp.seconds)
        }

        func call(_ authorization: String..., proofs: [String] = []) async throws -> WireAnswer {
            // The client chooses the Host header, so the verifier must not rely on it. This value is wrong on purpose.
            var request = WireRequest(path: "/v1/orders?page=2", host: "10.0.0.7")
            for value in authorization { request.add("Authorization", value) }
            for proof in proofs { request.add("DPoP", proof) }
            return try await request.send(to: port)
        }
    }

    private func serve(
        nonces: NoncePolicy = .never, _ work: @escaping @Sendable (Caller) async throws -> Void
    ) async throws {
        let clock = TestService.Clock()
        var options = VerifierOptions()
        options.nonces = nonces
        options.environment = VerifierEnvironment { clock.timestamp.date }
        let verifier = try SessionVerifier(
            service: "https://session.example.com", audience: "testapp", resources: ["https://api.example.com"],
            options: options,
            keySource: KeySetLoader {
                try TokenJSON.encode(["keys": [PublishedKeys.service.publicJWK.publishedMembers]])
            })
        let router = Router(context: VerifiedContext.self)
        router.add(middleware: VerifierMiddleware(verifier))
        router.get("/v1/orders") { _, context in try context.requireUser().userID }
        try await LoopbackServer.serve(router) { port in try await work(Caller(clock: clock, port: port)) }
    }

    /// The part of `WWW-Authenticate` for one scheme.
    private static func challenge(_ scheme: String, of answer: WireAnswer) -> String? {
        let challenges = answer.field("www-authenticate")?.components(separatedBy: ", DPoP") ?? []
        return scheme == "Bearer" ? challenges.first : challenges.dropFirst().first.map { "DPoP" + $0 }
    }

    // Proves: P6
    @Test("A bound token is rejected with a proof that breaks one rule, and accepted with a valid proof")
    func proofs() async throws {
        try await serve { caller in
            let token = try caller.token.bound(to: PublishedKeys.device).compact()
            let valid = caller.proof(for: token)
            try await concurrently(ProofMutation.all + ProofMutation.withAccessToken) { mutation in
                let proofs = try valid.with { try mutation.change(&$0) }.headers()
                let answer = try await caller.call("DPoP " + token, proofs: proofs)
                #expect(answer.status == 401, "\(mutation.rule)")
                #expect(answer.code == mutation.verifierReason, "\(mutation.rule)")
                #expect(Self.challenge("Bearer", of: answer) == "Bearer", "\(mutation.rule)")
                let challenge = Self.challenge("DPoP", of: answer)
                #expect(challenge?.hasPrefix(#"DPoP error="invalid_dpop_proof", "#) == true, "\(mutation.rule)")
                #expect(challenge?.hasSuffix(#", algs="ES256""#) == true, "\(mutation.rule)")
            }
            #expect(try await caller.call("DPoP " + token, proofs: valid.headers()).status == 200)
        }
    }

    // Proves: P6
    @Test("A token that breaks one rule is rejected with both schemes, and a valid token is accepted")
    func tokens() async throws {
        try await serve { caller in
            let bound = caller.token.bound(to: PublishedKeys.device)
            try await concurrently(TokenMutation.all) { mutation in
                let bearer = try await caller.call(
                    "Bearer " + caller.token.with { try mutation.change(&$0) }.compact())
                #expect(bearer.status == 401, "\(mutation.rule)")
                #expect(bearer.code == mutation.reason, "\(mutation.rule)")
                #expect(
                    Self.challenge("Bearer", of: bearer)?.hasPrefix(#"Bearer error="invalid_token", "#) == true,
                    "\(mutation.rule)")

                let token = try bound.with { try mutation.change(&$0) }.compact()
                let dpop = try await caller.call("DPoP " + token, proofs: caller.proof(for: token).headers())
                #expect(dpop.status == 401, "\(mutation.rule)")
                #expect(dpop.code == mutation.reason, "\(mutation.rule)")
                #expect(
                    Self.challenge("DPoP", of: dpop)?.hasPrefix(#"DPoP error="invalid_token", "#) == true,
                    "\(mutation.rule)")
            }
            #expect(try await caller.call("Bearer " + caller.token.compact()).status == 200)
            let token = try bound.compact()
            #expect(try await caller.call("DPoP " + token, proofs: caller.proof(for: token).headers()).status == 200)
            #expect(try await caller.call("Bearer " + token).status == 401)
        }
    }

    @Test("A proof with a wrong time gets a nonce and no-store, and is valid with the nonce (RFC 9449 §9)")
    func nonce() async throws {
        try await serve(nonces: .whenNeeded(secret: Data(repeating: 7, count: 32))) { caller in
            let token = try caller.token.bound(to: PublishedKeys.device).compact()
            let iat = JSONValue.int(caller.clock.timestamp.seconds - 600)
            @Sendable func call(nonce: String?) async throws -> WireAnswer {
                let proof = caller.proof(for: token, nonce: nonce).with { $0.claims["iat"] = iat }
                return try await caller.call("DPoP " + token, proofs: proof.headers())
            }
            let answer = try await call(nonce: nil)
            #expect(answer.status == 401)
            #expect(Self.challenge("DPoP", of: answer)?.hasPrefix(#"DPoP error="use_dpop_nonce", "#) == true)
            #expect(answer.field("cache-control") == "no-store")
            let nonce = try #require(answer.field("dpop-nonce"))
            #expect(try await call(nonce: nonce + "x").field("dpop-nonce") != nil)
            #expect(try await call(nonce: nonce).status == 200)
        }
    }

    @Test("Two Authorization fields are rejected as invalid_request (RFC 6750 §3.1)")
    func several() async throws {
        try await serve { caller in
            let token = try "Bearer " + caller.token.compact()
            let answer = try await caller.call(token, token)
            #expect(answer.status == 400)
            #expect(Self.challenge("Bearer", of: answer)?.hasPrefix(#"Bearer error="invalid_request", "#) == true)
            let none = try await caller.call()
            #expect(none.status == 401)
            #expect(none.field("www-authenticate")?.contains("error") == false)
        }
    }
}
