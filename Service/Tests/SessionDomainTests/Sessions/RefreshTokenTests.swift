import Foundation
import SessionDomain
import SessionTokens
import Testing

@Suite("Refresh tokens")
struct RefreshTokenTests {
    private let keys = KeyRing(current: MasterKey(secret: Data(repeating: 1, count: 32)))

    @Test("A token can be read, and made again for a lost answer")
    func roundTrip() throws {
        let app = try #require(AppID("testapp"))
        let token = RefreshToken(sessionID: "ses_1", generation: 7)
        let text = token.encoded(app: app, keys: keys)
        #expect(RefreshToken(text, app: app, keys: keys) == token)
        #expect(text == token.encoded(app: app, keys: keys))
    }

    @Test("A changed token is invalid")
    func tampered() throws {
        let app = try #require(AppID("testapp"))
        let text = RefreshToken(sessionID: "ses_1", generation: 7).encoded(app: app, keys: keys)
        for index in text.indices {
            var changed = text
            changed.replaceSubrange(index...index, with: text[index] == "x" ? "y" : "x")
            #expect(RefreshToken(changed, app: app, keys: keys) == nil)
        }
        #expect(RefreshToken(text.replacing(".7.", with: ".07."), app: app, keys: keys) == nil)
        #expect(RefreshToken(text, app: try #require(AppID("another")), keys: keys) == nil)
    }

    @Test("Tokens stay valid after a rotation of the master key, until the old key is removed")
    func rotation() throws {
        let app = try #require(AppID("testapp"))
        let old = MasterKey(secret: Data(repeating: 1, count: 32))
        let new = MasterKey(secret: Data(repeating: 2, count: 32))
        let text = RefreshToken(sessionID: "ses_1", generation: 7).encoded(app: app, keys: keys)
        #expect(RefreshToken(text, app: app, keys: KeyRing(current: new, older: [old])) != nil)
        #expect(RefreshToken(text, app: app, keys: KeyRing(current: new)) == nil)
    }

    // Proves: K11
    @Test(
        "A sealed signing key opens with its key ring and for its purpose only",
        arguments: SignatureAlgorithm.allCases)
    func sealing(_ algorithm: SignatureAlgorithm) throws {
        let app = try #require(AppID("testapp"))
        let stored = try keys.makeSigningKey(
            app: app, purpose: .access, algorithm: KeyAlgorithm(algorithm), at: Timestamp(seconds: 1))
        let opened = try keys.open(stored)
        #expect(opened.signer.keyID == stored.keyID)
        #expect(opened.signer.algorithm == algorithm)
        let message = Data("message".utf8)
        #expect(opened.publicKey.isValidSignature(try opened.signer.signature(for: message), for: message))
        let moved = StoredSigningKey(
            appID: app, purpose: .challenge, keyID: stored.keyID, algorithm: stored.algorithm,
            sealedPrivateKey: stored.sealedPrivateKey, createdAt: stored.createdAt)
        #expect(throws: KeyRingError.self) { try keys.open(moved) }
        let stranger = KeyRing(current: MasterKey(secret: Data(repeating: 9, count: 32)))
        #expect(throws: KeyRingError.self) { try stranger.open(stored) }
    }
}
