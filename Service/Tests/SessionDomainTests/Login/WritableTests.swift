import Foundation
import SessionTokens
import Testing

@testable import SessionDomain

@Suite("JSON without an encoder")
struct WritableTests {
    private static let seed = CodeSeed(verification: "v", number: "n", size: 6, keyID: "k")

    private func check<Value: JSONWritable & Decodable & Equatable>(_ value: Value) throws {
        #expect(TokenJSON.text(value) == String(decoding: try TokenJSON.encode(value), as: UTF8.self))
        #expect(try JSONDecoder().decode(Value.self, from: TokenJSON.write(value)) == value)
    }

    private func checkReading<Value: JSONWritable & JSONObjectReadable & Equatable>(_ value: Value) throws {
        #expect(try TokenJSON.read(Value.self, from: TokenJSON.write(value)) == value)
    }

    @Test("The content of a message has the bytes of the encoder")
    func content() throws {
        try check(MessageContent(purpose: .notice, code: nil))
        try check(
            MessageContent(
                purpose: .signIn, code: Self.seed, values: ["b": "\"", "a": "ü"], locales: ["fr", "en"],
                sender: MessageSender(senderID: "s", templateID: "t"), withheld: .unknownUser, userID: "usr_1",
                sessionID: "ses_1"))
    }

    @Test("The seed of a code has the bytes of the encoder, and is read back")
    func seed() throws {
        try check(Self.seed)
        try checkReading(Self.seed)
        #expect(throws: (any Error).self) { try TokenJSON.read(CodeSeed.self, from: Data(#"{"size":6}"#.utf8)) }
    }

    @Test("The context of an event has the bytes of the encoder")
    func context() throws {
        try check(EventContext())
        try check(
            EventContext(
                actor: .init(.managementKey, id: "mk_1", name: "backend"), ip: "203.0.113.7", userAgent: "curl/8",
                device: Device(id: nil, model: "Pixel", type: "mobile", osVersion: "14", countryCode: "CH"),
                requestID: "req_1"))
    }

    @Test("The claims of a challenge have the bytes of the encoder, and are read back")
    func challenge() throws {
        var claims = ChallengeClaims(
            iss: "session.example.com", aud: "app/challenge", sub: "usr_1", jti: "chl_1", iat: 1, exp: 2,
            challengeID: "chg_1", currentStep: "completed", grantMode: "session-start")
        try check(claims)
        try checkReading(claims)
        claims.codeChallenge = "c"
        claims.grantedScopes = ["a", "b"]
        claims.method = .smsCode
        claims.loginEpoch = 3
        claims.endsHolds = true
        claims.isNewUser = true
        claims.isKnownDevice = false
        claims.provenIdentifier = IdentifierDigest(
            try CanonicalIdentifier(type: "email_address", value: "a@example.com"))
        claims.sid = "ses_1"
        claims.scopeRequested = "pay"
        claims.steps = [
            .init(order: 1, key: "verify_sms", done: true, expirationDuration: 60),
            .init(order: 2, key: "kyc", done: false, expirationDuration: 0),
        ]
        try check(claims)
        try checkReading(claims)
    }

    @Test(
        "A challenge with a member of another type is rejected",
        arguments: [
            #"{"exp":"2"}"#, #"{"exp":2.5}"#, #"{"ends_holds":1}"#, #"{"method":"guess"}"#, #"{"steps":[1]}"#,
            #"{"steps":[{"order":1,"key":"k","expiration_duration":0}]}"#,
        ])
    func wrongType(_ members: String) throws {
        let valid =
            #"{"iss":"i","aud":"a","sub":"s","jti":"j","iat":1,"challenge_id":"c","current_step":"x","#
            + #""grant_mode":"g""#
        let with = members.contains("exp\"") ? "" : #","exp":2"#
        #expect((try? TokenJSON.read(ChallengeClaims.self, from: Data("\(valid),\"exp\":2}".utf8))) != nil)
        #expect(throws: (any Error).self) {
            try TokenJSON.read(ChallengeClaims.self, from: Data("\(valid)\(with),\(members.dropFirst())".utf8))
        }
    }
}
