import Foundation
import Testing

@testable import SessionDomain

@Suite("Commands without master keys")
struct AbsentMasterKeysTests {
    // Proves: K14
    @Test("A ring without master keys neither seals nor opens: what it sealed could never be opened again")
    func throwing() throws {
        let ring = KeyRing.withoutMasterKeys(random: Array(repeating: 7, count: 32))
        #expect(throws: KeyRingError.self) { try ring.seal(Data([1]), context: "a") }
        let sealed = try KeyRing(current: MasterKey(secret: Data(repeating: 7, count: 32))).seal(
            Data([1]), context: "a")
        #expect(throws: KeyRingError.self) { try ring.open(sealed, context: "a") }
    }
}
