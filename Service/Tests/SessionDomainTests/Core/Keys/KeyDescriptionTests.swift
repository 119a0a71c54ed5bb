internal import Foundation
internal import SessionDomain
internal import Testing

@Suite("Descriptions of keys")
struct KeyDescriptionTests {
    @Test("A description of master keys and key rings has their ids and no secret")
    func ids() {
        let key = MasterKey(secret: Data(repeating: 0xAB, count: 32))
        let ring = KeyRing(current: key, older: [MasterKey(secret: Data(repeating: 0xCD, count: 32))])
        var text = "\([key]) \(key) \(ring) \([ring])"
        dump([ring], to: &text)
        dump([key], to: &text)
        #expect(text.contains(key.id))
        for secret in ["32 bytes", "171", "SymmetricKey", "Derived", key.secret.base64EncodedString()] {
            #expect(!text.contains(secret), "\(secret)")
        }
    }
}
