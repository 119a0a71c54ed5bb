import SessionTokens
import Testing

@testable import PreludeSession

@Suite("Ids of proofs")
struct ProofIDsTests {
    @Test("Each id has 16 bytes of the generator, and no byte is used twice (RFC 9449 §4.2)")
    func unused() {
        var (ids, calls, next) = (ProofIDs(), 0, 0)
        let made = (0..<40).map { _ in
            ids.next { count in
                calls += 1
                defer { next += count }
                return (next..<next + count).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }
            }
        }
        #expect(made.allSatisfy { Base64URL.decode($0)?.count == 16 })
        #expect(Set(made).count == 40)
        #expect(calls == 3)
    }
}
