import Foundation
import PreludeSessionVerifier
import SessionConformance
import SessionRSA
import SessionTokens
import Testing

/// The signature algorithms that a service may choose for its tokens.
enum Signers {
    static let es256 = SigningKey.generate(.es256)
    /// Made once, because a key takes a while.
    static let rs256 = Result { RS256SigningKey(try FixedRSAKeys.key(1)) }

    static func all() throws -> [any TokenSigner] { [PublishedKeys.service, es256, try rs256.get()] }
}

@Suite("Verifier: algorithms")
struct AlgorithmTests {
    @Test("Tokens of EdDSA, ES256 and RS256 are verified", arguments: 0..<3)
    func accepted(_ index: Int) async throws {
        let backend = try Backend(signer: Signers.all()[index])
        #expect(try await backend.verifier.verify(backend.token.compact()).userID == "usr_1")
        #expect(try await backend.verifier.verify(backend.boundRequest()).keyThumbprint == PublishedKeys.device.keyID)
    }

    @Test("What JWT.sign makes is verified", arguments: 0..<3)
    func ourOwnWriter(_ index: Int) async throws {
        let backend = try Backend(signer: Signers.all()[index])
        let token = try JWT.sign(backend.token.claims, type: TokenType.accessToken, key: backend.signer)
        #expect(try await backend.verifier.verify(token).sessionID == "ses_1")
    }

    @Test("RFC 8725 §3.1: an algorithm that the backend does not accept is refused", arguments: 0..<3)
    func onlyTheListed(_ index: Int) async throws {
        let signer = try Signers.all()[index]
        let backend = try Backend(signer: signer) {
            $0.algorithms = $0.algorithms.filter { $0.rawValue != signer.algorithm.rawValue }
        }
        #expect(try await backend.verifier.refusal(of: backend.token.compact()).reason == .unsupportedAlgorithm)
        #expect(backend.source.fetches == 0)
    }

    @Test("RFC 8725 §3.1: a key set's own alg does not stretch what its key verifies")
    func keyOfAnotherAlgorithm() async throws {
        let backend = try Backend()
        guard case .object(var entry) = Backend.entry(backend.signer) else { return }
        entry["alg"] = "ES256"
        backend.source.publish(try TokenJSON.encode(["keys": [entry]]))
        #expect(try await backend.verifier.refusal(of: backend.token.compact()).reason == .unknownKey)
    }

    @Test("A name of an algorithm that nobody knows adds nothing")
    func unknownName() async throws {
        let backend = try Backend { $0.algorithms.insert(SignatureAlgorithmName(rawValue: "none")) }
        let token = try backend.token.with { $0.header["alg"] = "none" }.compact()
        #expect(try await backend.verifier.refusal(of: token).reason == .unsupportedAlgorithm)
    }
}
