import Foundation
import PreludeSessionVerifier
import SessionConformance
import SessionTokens
import Testing

/// Which keys of a key set the verifier uses.
@Suite("Verifier: content of key sets")
struct KeySetContentTests {
    private static let next = SigningKey.generate(.edDSA)

    @Test("A key that the service removed is rejected as soon as the new set is fetched")
    func retracted() async throws {
        let backend = try Backend()
        let token = try backend.longLivedToken()
        _ = try await backend.verifier.verify(token)
        backend.source.publish(try Backend.keySet([Self.next]))
        backend.clock.advance(30)
        _ = try await backend.verifier.verify(backend.longLivedToken(signedBy: Self.next))
        #expect(try await backend.verifier.rejection(of: token).reason == .unknownKey)
    }

    @Test("Unknown, malformed and private keys of a set are ignored, and the other keys are used (RFC 7517 §5)")
    func invalidKeys() async throws {
        let backend = try Backend()
        guard case .object(let valid) = Backend.entry(PublishedKeys.service) else { return }
        let invalid: [JSONValue] = [
            .object(["kty": "AKP", "kid": "new", "alg": "ML-DSA-44"]),
            .object(["kty": "EC", "crv": "P-256", "x": "AQ"]),
            .object(["kty": "oct", "kid": "secret", "k": "AQ"]), "no object", .null, .object([:]),
            .object(valid.merging(["kid": "encrypts", "use": "enc"]) { $1 }),
            .object(valid.merging(["kid": "private", "d": "AQ"]) { $1 }),
        ]
        backend.source.publish(try TokenJSON.encode(["keys": invalid + [.object(valid)]]))
        #expect(try await backend.verifier.verify(backend.longLivedToken()).userID == "usr_1")
        for kid in ["new", "secret", "encrypts", "private"] {
            let token = try backend.token.with { $0.header["kid"] = .string(kid) }.compact()
            #expect(try await backend.verifier.rejection(of: token).reason == .unknownKey)
        }
    }

    @Test("If two keys have the same kid, the first one is used")
    func sameID() async throws {
        let backend = try Backend()
        guard case .object(let other) = Backend.entry(Self.next) else { return }
        let imposter = JSONValue.object(other.merging(["kid": .string(PublishedKeys.service.keyID)]) { $1 })
        backend.source.publish(try TokenJSON.encode(["keys": [Backend.entry(PublishedKeys.service), imposter]]))
        #expect(try await backend.verifier.verify(backend.longLivedToken()).userID == "usr_1")
    }

    @Test("A set of 100 keys is accepted, and a set of 101 keys is rejected")
    func manyKeys() async throws {
        let backend = try Backend()
        let entry = Backend.entry(PublishedKeys.service)
        let fillers = Array(repeating: JSONValue.object(["kty": "other"]), count: 100)
        backend.source.publish(try TokenJSON.encode(["keys": fillers + [entry]]))
        #expect(try await backend.verifier.rejection(of: backend.longLivedToken()).reason == .keysUnavailable)
        backend.source.publish(try TokenJSON.encode(["keys": fillers.dropFirst() + [entry]]))
        backend.clock.advance(1)
        #expect(try await backend.verifier.verify(backend.longLivedToken()).userID == "usr_1")
    }
}
