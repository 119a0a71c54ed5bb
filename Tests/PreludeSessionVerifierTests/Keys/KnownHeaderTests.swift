import PreludeSessionVerifier
import SessionConformance
import SessionTokens
import Testing

/// The verifier keeps the headers of verified tokens. A header decides nothing that the key set would decide otherwise.
@Suite("Verifier: headers of recent tokens")
struct KnownHeaderTests {
    private static let next = SigningKey.generate(.edDSA)

    @Test("A token with a known header is verified like the first one, with its own claims")
    func claims() async throws {
        let backend = try Backend()
        _ = try await backend.verifier.verify(backend.token.compact())
        let user = try await backend.verifier.verify(backend.token.with { $0.claims["sub"] = "usr_2" }.compact())
        #expect(user.userID == "usr_2")
        for change: (inout TokenDraft) -> Void in [
            { $0.claims["aud"] = "other" }, { $0.claims["exp"] = .int(1) }, { $0.claims["iss"] = "other" },
        ] {
            await #expect(throws: VerificationError.self) {
                try await backend.verifier.verify(backend.token.with(change).compact())
            }
        }
    }

    @Test("A signature by another key is invalid under a known header")
    func signature() async throws {
        let backend = try Backend()
        _ = try await backend.verifier.verify(backend.token.compact())
        let forged = try backend.token.with { $0.signer = Self.next }.compact()
        #expect(try await backend.verifier.rejection(of: forged).reason == .invalidSignature)
    }

    @Test("A key that has left the key set verifies no token, whether its header is known or not")
    func removedKey() async throws {
        let backend = try Backend()
        let (token, rotated) = (try backend.longLivedToken(), try backend.longLivedToken(signedBy: Self.next))
        for _ in 0..<2 { _ = try await backend.verifier.verify(token) }
        backend.source.publish(try Backend.keySet([Self.next]))
        backend.clock.advance(30)
        #expect(try await backend.verifier.verify(rotated).userID == "usr_1")
        #expect(try await backend.verifier.rejection(of: token).reason == .unknownKey)
    }

    @Test("A key that was replaced under its kid verifies no token")
    func replacedKey() async throws {
        let backend = try Backend()
        let kid = JSONValue.string(PublishedKeys.service.keyID)
        let token = try backend.longLivedToken()
        for _ in 0..<2 { _ = try await backend.verifier.verify(token) }
        guard case .object(var members) = Backend.entry(Self.next) else { return #expect(Bool(false)) }
        members["kid"] = kid
        backend.source.publish(try TokenJSON.encode(["keys": [JSONValue.object(members)]]))
        backend.clock.advance(3000)
        #expect(try await backend.verifier.rejection(of: token).reason == .invalidSignature)
        let renewed = try backend.token.with {
            $0.signer = Self.next
            $0.header["kid"] = kid
        }.compact()
        #expect(try await backend.verifier.verify(renewed).userID == "usr_1")
    }

    @Test("More headers than the verifier keeps are all verified")
    func manyHeaders() async throws {
        let backend = try Backend()
        for number in (0..<40).map({ $0 % 20 }) {
            let token = try backend.token.with { $0.header["note"] = .int(Int64(number)) }.compact()
            #expect(try await backend.verifier.verify(token).userID == "usr_1")
        }
    }
}
