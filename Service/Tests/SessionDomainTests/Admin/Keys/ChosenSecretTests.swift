import SessionTokens
import Testing

@testable import SessionDomain

@Suite("Chosen management keys")
struct ChosenSecretTests {
    // Proves: G1
    @Test(
        "A key with less than 128 bits is rejected",
        arguments: [
            "", "a", "secret", "system-tests-management-key", "correct-horse-battery",
            // One character less than the minimum of each alphabet.
            "sSk3XaUJs9qpoJhRPwLzv", "9f86d081884c7d659a2feaa0c55ad01", "36185027886661311069865932815214971204",
            "qhzkvbnwtrmxjpldgfsyucaoeiq", "q7hz4kvb2nwtr9mxjp3ldgf5s",
            // Repetitions, sequences and few characters, at any length.
            String(repeating: "a", count: 100), String(repeating: "aB3", count: 40), "deadBEEFdeadBEEFdeadBEEFdeadBEEF",
            "0123456789abcdef0123456789abcdef", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
            "zyxwvutsrqponmlkjihgfedcba9876543210", "aabbabababbaababbabbaaabababbbabaABAB",
            // Characters that no header or list carries.
            "q7Hz4kvB2nw Tr9mxJp3Ldgf5s", "q7Hz4kvB2nw,Tr9mxJp3Ldgf5s", "q7Hz4kvB2nwäTr9mxJp3Ldgf5s",
        ])
    func weak(secret: String) { #expect(!ChosenSecret(secret).isStrong) }

    // Proves: G1
    @Test(
        "A random key of 128 bits is accepted in every common alphabet",
        arguments: [
            "sSk3XaUJs9qpoJhRPwLzvQ", "sSk3XaUJs9qpoJhRPwLzvQ==", "9f86d081884c7d659a2feaa0c55ad015",
            "9F86D081884C7D659A2FEAA0C55AD015", "361850278866613110698659328152149712041",
            "qhzkvbnwtrmxjpldgfsyucaoeiqz", "q7hz4kvb2nwtr9mxjp3ldgf5sw", "550e8400-e29b-41d4-a716-446655440000",
        ])
    func strong(secret: String) { #expect(ChosenSecret(secret).isStrong) }

    @Test(
        "A character that no list carries is named, and the strength is judged after that",
        arguments: [
            ("q7Hz4kvB2nw\nTr9mxJp3Ldgf5s", "contains a line break. "),
            ("q7Hz4kvB2nwTr9mxJp3Ldgf5s\n", "contains a line break. "),
            ("q7Hz4kvB2nw\rTr9mxJp3Ldgf5s", "contains a line break. "),
            ("q7Hz4kvB2nw Tr9mxJp3Ldgf5s", "contains white space. "),
            ("q7Hz4kvB2nw\tTr9mxJp3Ldgf5s", "contains white space. "),
            ("q7Hz4kvB2nw,Tr9mxJp3Ldgf5s", "contains a comma. "),
            ("q7Hz4kvB2nw\u{7}Tr9mxJp3Ldgf5s", "contains a control character. "),
            ("q7Hz4kvB2nwäTr9mxJp3Ldgf5s", "contains a character that is not ASCII. "), ("secret", "can be guessed. "),
        ])
    func problems(secret: String, beginning: String) throws {
        let problem = try #require(ChosenSecret(secret).problem)
        #expect(problem == beginning + ChosenSecret.rule)
    }

    @Test("What the rule suggests and what the service makes is accepted")
    func random() {
        for round in 0..<500 {
            // SplitMix64, so that the bytes are the same in every run.
            var state = UInt64(round)
            let bytes = (0..<32).map { _ -> UInt8 in
                state &+= 0x9E37_79B9_7F4A_7C15
                var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
                mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
                return UInt8(truncatingIfNeeded: mixed >> 40)
            }
            #expect(ChosenSecret(Base64URL.encode(bytes)).isStrong)
            #expect(ChosenSecret(Base64URL.encode(bytes.prefix(16))).isStrong)
            #expect(
                ChosenSecret(bytes.prefix(16).map { String($0 / 16, radix: 16) + String($0 % 16, radix: 16) }.joined())
                    .isStrong)
        }
    }
}
