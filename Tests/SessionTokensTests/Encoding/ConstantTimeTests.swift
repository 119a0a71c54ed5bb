import SessionTokens
import Testing

/// The results of comparisons. The source shows the constant time: it has no branch on a byte.
@Suite("Constant-time comparison")
struct ConstantTimeTests {
    private let secret: [UInt8] = Array(0..<64)

    @Test("Equal bytes are equal, also when empty")
    func equal() {
        #expect(ConstantTime.equal(secret, secret))
        #expect(ConstantTime.equal([UInt8](), []))
        #expect(ConstantTime.equal("", ""))
        #expect(ConstantTime.equal("sécret", "sécret"))
    }

    @Test("A difference in any bit makes bytes unequal")
    func everyBit() {
        for index in secret.indices {
            for bit in 0..<8 {
                var other = secret
                other[index] ^= 1 << UInt8(bit)
                #expect(!ConstantTime.equal(secret, other))
            }
        }
    }

    @Test("A prefix is not equal in either order")
    func length() {
        #expect(!ConstantTime.equal(secret, Array(secret.dropLast())))
        #expect(!ConstantTime.equal(Array(secret.dropLast()), secret))
        #expect(!ConstantTime.equal("secret", ""))
    }

    @Test("Strings are compared by their bytes, not by Unicode equivalence")
    func canonicalEquivalence() {
        #expect("\u{E9}" == "e\u{301}")
        #expect(!ConstantTime.equal("\u{E9}", "e\u{301}"))
    }
}
