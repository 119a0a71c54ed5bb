internal import Foundation
internal import SessionDomain
internal import Testing

@Suite("The rules for passwords")
struct PasswordPolicyTests {
    private static func policy(_ change: (inout PasswordPolicy) -> Void) -> PasswordPolicy {
        var policy = PasswordPolicy()
        policy.minLength = 0
        change(&policy)
        return policy
    }

    @Test(
        "Characters are Unicode scalars, counted by general category",
        arguments: [
            (policy { $0.minLength = 8 }, "12345678", true), (policy { $0.minLength = 8 }, "1234567", false),
            // A family of four people is one character, but seven scalars.
            (policy { $0.minLength = 7 }, "👨‍👩‍👧‍👦", true), (policy { $0.minLength = 8 }, "👨‍👩‍👧‍👦", false),
            (policy { $0.maxLength = 3 }, "abc", true), (policy { $0.maxLength = 3 }, "abcd", false),
            // No policy permits more than 256, counted after NFC (NIST SP 800-63B-4 §3.1.1.2).
            (policy { $0.maxLength = 0 }, String(repeating: "a", count: 256), true),
            (policy { $0.maxLength = 0 }, String(repeating: "a", count: 257), false),
            (policy { $0.maxLength = 1024 }, String(repeating: "a", count: 257), false),
            (policy { _ in }, String(repeating: "e\u{301}", count: 256), true),
            (policy { _ in }, String(repeating: "e\u{301}", count: 257), false),
            (policy { _ in }, String(repeating: "\u{3B9}\u{308}\u{301}", count: 256), true),
            (policy { _ in }, "a1" + String(repeating: "\u{F73}", count: 19_300), false),
            (policy { $0.uppercase = 2 }, "AÄ", true), (policy { $0.uppercase = 2 }, "Aä", false),
            (policy { $0.lowercase = 1 }, "ß", true), (policy { $0.lowercase = 1 }, "A1!", false),
            (policy { $0.numbers = 2 }, "1٢", true), (policy { $0.numbers = 1 }, "Ⅷ½", false),
            (policy { $0.symbols = 1 }, " ", true), (policy { $0.symbols = 1 }, "字", true),
            (policy { $0.symbols = 1 }, "aA1", false),
        ])
    func counting(policy: PasswordPolicy, password: String, isGood: Bool) {
        do throws(Refusal) {
            try policy.check(password)
            #expect(isGood)
        } catch {
            guard case .invalidPassword = error else {
                Issue.record(error)
                return
            }
            #expect(!isGood)
        }
    }

    @Test(
        "A stored policy without a maximum, or with one above 256, means 256",
        arguments: [(0, 256), (1024, 256), (256, 256), (64, 64)])
    func storedMaximum(stored: Int, maximum: Int) throws {
        let counts = #""uppercase":0,"lowercase":0,"numbers":0,"symbols":0"#
        let policy = #"{"minLength":8,"maxLength":\#(stored),\#(counts)}"#
        let json = #"{"enabled":true,"createdAt":1,"updatedAt":2,"policy":\#(policy)}"#
        let config = try JSONDecoder().decode(PasswordLoginConfig.self, from: Data(json.utf8))
        #expect(config.policy.maxLength == maximum && config.enabled && config.updatedAt.milliseconds == 2)
    }

    @Test("The error names every unmet rule")
    func naming() {
        let policy = Self.policy {
            $0.minLength = 8
            $0.uppercase = 1
            $0.numbers = 2
        }
        #expect(
            throws: Refusal.invalidPassword(
                "password needs at least 8 characters, at least 1 upper-case letters, at least 2 digits")
        ) { try policy.check("abc") }
    }
}
