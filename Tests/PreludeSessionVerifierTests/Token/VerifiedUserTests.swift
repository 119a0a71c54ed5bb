import Foundation
import HTTPTypes
import PreludeSessionVerifier
import SessionConformance
import SessionTokens
import Testing

@Suite("Verified user")
struct VerifiedUserTests {
    @Test("The user has the values of the token's claims")
    func claims() async throws {
        let backend = try Backend()
        let user = try await backend.verifier.verify(backend.token.compact())
        #expect(user.userID == "usr_1")
        #expect(user.sessionID == "ses_1")
        #expect(user.tokenID == "tok_1")
        #expect(user.scopes == ["read", "write"])
        #expect(user.issuedAt?.timeIntervalSince1970 == Double(backend.clock.seconds))
        #expect(user.expiresAt.timeIntervalSince1970 == Double(backend.clock.seconds + 300))
        #expect(user.keyThumbprint == nil)
    }

    @Test("A token without scope and sid gives a user without scopes and session id")
    func optional() async throws {
        let backend = try Backend()
        let token = try backend.token.with {
            $0.claims["scope"] = nil
            $0.claims["sid"] = nil
        }.compact()
        let user = try await backend.verifier.verify(token)
        #expect(user.scopes == [])
        #expect(user.sessionID == nil)
    }

    @Test("Mapped claims are decoded into a type of the app")
    func mapped() async throws {
        struct Plan: Decodable { let plan: String }
        let backend = try Backend()
        let user = try await backend.verifier.verify(backend.token.with { $0.claims["plan"] = "gold" }.compact())
        #expect(try user.claims(as: Plan.self).plan == "gold")
        let other = try await backend.verifier.verify(backend.token.compact())
        #expect(throws: DecodingError.self) { try other.claims(as: Plan.self) }
    }

    @Test("Requiring a scope that the token has succeeds")
    func scopes() async throws {
        let backend = try Backend()
        let user = try await backend.verifier.verify(backend.token.compact())
        #expect(user.has(scope: "write"))
        try user.require(scope: "write")
        try user.require(stepUp: "write")
    }

    @Test("A part of a scope's name does not count as the scope", arguments: ["", "rea", "read write", "READ"])
    func otherScopes(_ scope: String) async throws {
        let backend = try Backend()
        let user = try await backend.verifier.verify(backend.token.compact())
        #expect(!user.has(scope: scope))
        #expect(throws: VerificationError.self) { try user.require(scope: scope) }
    }

    @Test("A token older than the required age gets 401 invalid_token, so that the app refreshes it")
    func age() async throws {
        let backend = try Backend(resources: [])
        let token = try backend.token.compact()
        // The token was issued 30 seconds after its `iat`.
        backend.clock.advance(40)
        try await backend.verifier.verify(token).require(issuedWithin: 10)
        backend.clock.advance(0.5)
        let user = try await backend.verifier.verify(token)
        let error = try #require(throws: VerificationError.self) { try user.require(issuedWithin: 10) }
        #expect(error.reason == .tokenTooOld)
        #expect(error.status == .unauthorized)
        #expect(
            error.challenge == #"Bearer error="invalid_token", error_description="the token is too old: refresh it""#)
    }

    @Test("A token of unknown age never satisfies a required age")
    func unknownAge() async throws {
        let backend = try Backend { $0.profile = .plainJWT }
        let user = try await backend.verifier.verify(backend.token.with { $0.claims["iat"] = nil }.compact())
        #expect(throws: VerificationError.self) { try user.require(issuedWithin: .infinity) }
        let later = backend.token.with {
            $0.claims["nbf"] = nil
            $0.claims["iat"] = .int(backend.clock.seconds + 61)
        }
        let early = try await backend.verifier.verify(later.compact())
        #expect(throws: VerificationError.self) { try early.require(issuedWithin: 300) }
    }

    // Proves: P1
    @Test("A missing scope gets 403 insufficient_scope with the scope (RFC 6750 §3.1)")
    func insufficientScope() async throws {
        let backend = try Backend(resources: [])
        let user = try await backend.verifier.verify(backend.token.compact())
        let error = try #require(throws: VerificationError.self) { try user.require(scope: "admin") }
        #expect(error.reason == .insufficientScope)
        #expect(error.status == .forbidden)
        #expect(
            error.challenge
                == #"Bearer error="insufficient_scope", error_description="the token lacks a scope", scope="admin""#)
    }

    @Test("A missing step-up scope gets 401 insufficient_user_authentication with the scope (RFC 9470 §3)")
    func stepUp() async throws {
        let backend = try Backend(resources: [])
        let user = try await backend.verifier.verify(backend.token.compact())
        let error = try #require(throws: VerificationError.self) { try user.require(stepUp: "pay") }
        #expect(error.status == .unauthorized)
        #expect(error.code == "insufficient_user_authentication")
        #expect(error.scope == "pay")
        #expect(error.challenge?.hasPrefix(#"Bearer error="insufficient_user_authentication""#) == true)
        #expect(error.challenge?.hasSuffix(#"scope="pay""#) == true)
    }

    @Test("A missing scope of a bound token is an error in the DPoP challenge (RFC 9449 §7.2)")
    func boundScope() async throws {
        let backend = try Backend()
        let user = try await backend.verifier.verify(backend.boundRequest())
        let error = try #require(throws: VerificationError.self) { try user.require(scope: "admin") }
        #expect(error.challenge?.hasPrefix(#"Bearer, DPoP error="insufficient_scope""#) == true)
    }

    @Test(
        "A scope with invalid characters is not written into the challenge (RFC 6750 §3)",
        arguments: ["a\"b", "a\\b", "a\nb", "é"])
    func scopeSyntax(_ scope: String) async throws {
        let backend = try Backend(resources: [])
        let user = try await backend.verifier.verify(backend.token.compact())
        let error = try #require(throws: VerificationError.self) { try user.require(scope: scope) }
        #expect(
            error.challenge == #"Bearer error="insufficient_scope", error_description="the token lacks a scope""#)
    }
}
