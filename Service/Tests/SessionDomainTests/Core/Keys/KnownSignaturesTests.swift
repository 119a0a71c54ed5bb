import Foundation
import SessionTokens
import Synchronization
import Testing

@testable import SessionDomain

@Suite("Signatures that a key knows")
struct KnownSignaturesTests {
    private let message = Data("message".utf8)
    private let signature = Data(repeating: 1, count: 64)

    // Proves: K5
    @Test("A valid signature is verified once; another message or signature is verified again")
    func verified() throws {
        let counted = CountedKey(valid: [signature])
        let key = try opened(counted).rememberingSignatures(includingOwn: false).publicKey
        for _ in 0..<3 { #expect(key.isValidSignature(signature, for: message)) }
        #expect(counted.calls == 1)
        #expect(key.isValidSignature(signature, for: Data("another".utf8)))
        #expect(counted.calls == 2)
        for _ in 0..<2 { #expect(!key.isValidSignature(Data(repeating: 2, count: 64), for: message)) }
        #expect(counted.calls == 4, "An invalid signature is never known")
        let moved = (signature: signature + message.prefix(1), message: message.dropFirst())
        #expect(!key.isValidSignature(moved.signature, for: moved.message), "The same bytes, but another signature")
        #expect(key.thumbprint == "kid" && key.algorithm == .edDSA)
    }

    // Proves: K5
    @Test("What a key has signed is known only if it remembers its own signatures", arguments: [true, false])
    func own(includingOwn: Bool) throws {
        let counted = CountedKey(valid: [])
        let key = try opened(counted).rememberingSignatures(includingOwn: includingOwn)
        let signature = try key.signer.signature(for: message)
        #expect(key.publicKey.isValidSignature(signature, for: message) == includingOwn)
        #expect(counted.calls == (includingOwn ? 0 : 1))
    }

    @Test("The oldest signatures are forgotten, and verified again")
    func bound() throws {
        let counted = CountedKey(valid: [signature])
        let key = try opened(counted).rememberingSignatures(includingOwn: false).publicKey
        let count = KnownSignatures.capacity + 1
        for number in 0..<count { #expect(key.isValidSignature(signature, for: Data("\(number)".utf8))) }
        #expect(key.isValidSignature(signature, for: Data("0".utf8)))
        #expect(counted.calls == count + 1)
        #expect(key.isValidSignature(signature, for: Data("\(count - 1)".utf8)))
        #expect(counted.calls == count + 1)
    }

    private func opened(_ key: CountedKey) throws -> OpenedSigningKey {
        OpenedSigningKey(signer: SigningKey.generate(.edDSA), publicKey: key)
    }
}

/// A key that counts how often it verifies.
private final class CountedKey: VerificationKey {
    private let valid: Set<Data>
    private let count = Mutex(0)

    init(valid: Set<Data>) { self.valid = valid }

    var calls: Int { count.withLock { $0 } }
    var algorithm: SignatureAlgorithm { .edDSA }
    var thumbprint: String { "kid" }
    var requiredMembers: [String: String] { [:] }

    func isValidSignature(_ signature: Data, for message: Data) -> Bool {
        count.withLock { $0 += 1 }
        return valid.contains(signature)
    }
}
