import Foundation
import PreludeSessionVerifier
import SessionConformance
import SessionRSA
import SessionTokens
import Testing

/// One signing key for each algorithm that a service may use.
enum Signers {
    static let es256 = SigningKey.generate(.es256)
    static let rs256 = Result { RS256SigningKey(try FixedRSAKeys.key(1)) }

    static func all() throws -> [any TokenSigner] {
        [PublishedKeys.service, es256, try rs256.get(), PublishedKeys.service.fullySpecified()]
    }
}

@Suite("Verifier: algorithms")
struct AlgorithmTests {
    @Test("Tokens with EdDSA, ES256, RS256 and Ed25519 are accepted", arguments: 0..<4)
    func accepted(_ index: Int) async throws {
        let backend = try Backend(signer: Signers.all()[index])
        #expect(try await backend.verifier.verify(backend.token.compact()).userID == "usr_1")
        #expect(try await backend.verifier.verify(backend.boundRequest()).keyThumbprint == PublishedKeys.device.keyID)
    }

    @Test("Tokens from JWT.sign are accepted", arguments: 0..<4)
    func ourOwnWriter(_ index: Int) async throws {
        let backend = try Backend(signer: Signers.all()[index])
        let token = try JWT.sign(backend.token.claims, type: TokenType.accessToken, key: backend.signer)
        #expect(try await backend.verifier.verify(token).sessionID == "ses_1")
    }

    // Proves: J2
    @Test("A token with an algorithm that the backend does not accept is rejected (RFC 8725 §3.1)", arguments: 0..<3)
    func onlyTheListed(_ index: Int) async throws {
        let signer = try Signers.all()[index]
        let backend = try Backend(signer: signer) {
            $0.algorithms = $0.algorithms.filter { $0.rawValue != signer.algorithm.rawValue }
        }
        #expect(try await backend.verifier.rejection(of: backend.token.compact()).reason == .unsupportedAlgorithm)
        #expect(backend.source.fetches == 0)
    }

    // Proves: K8
    @Test(
        "Both names of Ed25519 mean the same, in options, key set and token (RFC 9864 §2.2)",
        arguments: [SignatureAlgorithmName.edDSA, .ed25519], ["EdDSA", "Ed25519", nil])
    func namesOfEd25519(_ option: SignatureAlgorithmName, _ published: String?) async throws {
        for written in ["EdDSA", "Ed25519"] {
            let backend = try Backend { $0.algorithms = [option] }
            guard case .object(var entry) = Backend.entry(backend.signer) else { return }
            entry["alg"] = published.map(JSONValue.string)
            backend.source.publish(try TokenJSON.encode(["keys": [entry]]))
            let token = try backend.token.with { $0.header["alg"] = .string(written) }.compact()
            #expect(try await backend.verifier.verify(token).userID == "usr_1")
        }
    }

    // Proves: K8
    @Test("Ed25519 and EdDSA do not accept a key of another type (RFC 9864 §2.2)", arguments: ["EdDSA", "Ed25519"])
    func namesOfOtherKeys(_ name: String) async throws {
        let backend = try Backend(signer: Signers.es256)
        let token = try backend.token.with { $0.header["alg"] = .string(name) }.compact()
        #expect(try await backend.verifier.rejection(of: token).reason == .unsupportedAlgorithm)
        guard case .object(var entry) = Backend.entry(Signers.es256) else { return }
        entry["alg"] = .string(name)
        let other = try Backend(signer: Signers.es256)
        other.source.publish(try TokenJSON.encode(["keys": [.object(entry), Backend.entry(PublishedKeys.service)]]))
        #expect(try await other.verifier.rejection(of: other.token.compact()).reason == .unknownKey)
    }

    @Test("An alg in the key set that does not match the key disables the key (RFC 8725 §3.1)")
    func keyOfAnotherAlgorithm() async throws {
        let backend = try Backend()
        guard case .object(var entry) = Backend.entry(backend.signer) else { return }
        entry["alg"] = "ES256"
        backend.source.publish(try TokenJSON.encode(["keys": [.object(entry), Backend.entry(Signers.es256)]]))
        #expect(try await backend.verifier.rejection(of: backend.token.compact()).reason == .unknownKey)
    }

    @Test("An unknown algorithm name in the options has no effect")
    func unknownName() async throws {
        let backend = try Backend { $0.algorithms.insert(SignatureAlgorithmName(rawValue: "none")) }
        let token = try backend.token.with { $0.header["alg"] = "none" }.compact()
        #expect(try await backend.verifier.rejection(of: token).reason == .unsupportedAlgorithm)
    }
}
