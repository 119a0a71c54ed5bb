import Foundation
import SessionTokens
import Testing

@testable import SessionDomain

@Suite("Tokens of custom steps")
struct CustomStepsTests {
    private static let valid: [String: JSONValue] = [
        "sub": "usr_1", "exp": .int(now.seconds + 60), "nbf": .int(now.seconds), "iat": .int(now.seconds),
        "jti": "jti-1", "challenge_id": "chg_1", "key": "kyc", "status": "completed",
    ]

    private func read(
        _ claims: [String: JSONValue], jwksURL: String? = "https://backend.example.com/jwks.json"
    ) async throws -> CustomStepReport {
        let key = try OperatorKey.first.get()
        let steps = CustomSteps(
            operatorKeys: OperatorKeys(egress: FakeEgress(always: .answer(try OperatorKey.set(key)))))
        let config = StepUpConfig(jwksURL: jwksURL, stepKeys: ["kyc"], rules: [], at: now)
        return try await steps.read(try key.sign(claims), config: config, now: now)
    }

    private static func with(_ claim: String, _ value: JSONValue?) -> [String: JSONValue] {
        var claims = valid
        claims[claim] = value
        return claims
    }

    @Test("A token contains user, step and challenge, and the time until which it is remembered")
    func report() async throws {
        let expected = CustomStepReport(
            userID: "usr_1", challengeID: "chg_1", stepKey: "kyc", tokenID: "jti-1", expiresAt: now + 120)
        #expect(try await read(Self.valid) == expected)
        #expect(try await read(Self.with("more", .array([]))) == expected)
    }

    @Test(
        "Times may differ by a minute, and a token may last a day",
        arguments: [
            ("exp", -59), ("exp", 86_400), ("nbf", 60), ("nbf", -100_000), ("iat", 60), ("iat", -100_000),
        ])
    func accepted(claim: String, offset: Int64) async throws {
        #expect(try await read(Self.with(claim, .int(now.seconds + offset))).tokenID == "jti-1")
    }

    @Test(
        "Times beyond the leeway, and longer lives, are rejected",
        arguments: [
            ("exp", -60, "has expired"), ("exp", -100_000, "has expired"),
            ("exp", 86_401, "must expire within a day"), ("nbf", 61, "is not valid yet"),
            ("iat", 61, "is not valid yet"),
        ])
    func refused(claim: String, offset: Int64, problem: String) async throws {
        await #expect(throws: Refusal.invalidStepToken(problem)) {
            try await read(Self.with(claim, .int(now.seconds + offset)))
        }
    }

    @Test(
        "The largest and smallest numbers are rejected like any other, or accepted where they have no effect",
        arguments: [
            ("exp", Int64.max, "must expire within a day"), ("exp", .min, "has expired"),
            ("nbf", .max, "is not valid yet"), ("iat", .max, "is not valid yet"), ("nbf", .min, nil),
            ("iat", .min, nil),
        ] as [(String, Int64, String?)])
    func extremes(claim: String, value: Int64, problem: String?) async throws {
        guard let problem else {
            #expect(try await read(Self.with(claim, .int(value))).tokenID == "jti-1")
            return
        }
        await #expect(throws: Refusal.invalidStepToken(problem)) { try await read(Self.with(claim, .int(value))) }
    }

    @Test(
        "Every claim is required, with its type", arguments: valid.keys.sorted(),
        [nil, .null, .bool(true), .array([])] as [JSONValue?])
    func required(claim: String, value: JSONValue?) async throws {
        await #expect(
            throws: Refusal.invalidStepToken("lacks sub, exp, nbf, iat, jti, challenge_id, key or status")
        ) { try await read(Self.with(claim, value)) }
    }

    @Test("A jti must have 1 to 256 bytes", arguments: [0, 257])
    func tokenID(length: Int) async throws {
        await #expect(throws: Refusal.invalidStepToken("has no usable jti")) {
            try await read(Self.with("jti", .string(String(repeating: "j", count: length))))
        }
    }

    @Test("Only the status completed completes a step (S1)", arguments: ["", "Completed", "failed"])
    func status(status: String) async throws {
        await #expect(throws: Refusal.stepNotCompleted) { try await read(Self.with("status", .string(status))) }
    }

    @Test("Without a jwks_url every token is rejected, without a request")
    func withoutKeys() async throws {
        await #expect(throws: Refusal.invalidStepToken("cannot be checked without a jwks_url")) {
            try await read(Self.valid, jwksURL: nil)
        }
    }
}
