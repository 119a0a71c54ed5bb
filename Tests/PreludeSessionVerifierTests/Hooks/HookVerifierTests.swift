import Foundation
import HTTPTypes
import PreludeSessionVerifier
import SessionRSA
import SessionTokens
import Testing

@Suite("Calls of hooks and webhooks")
struct HookVerifierTests {
    private static let key = Result { try RSASigningKey.generate() }
    private static let other = Result { try RSASigningKey.generate() }

    private let body = Data(#"{"purpose":"login"}"#.utf8)
    private let clock = AdjustableClock()
    private let keys: ScriptedKeySource
    private let verifier: HookVerifier

    init() throws {
        keys = ScriptedKeySource(try Self.set(Self.key.get()))
        verifier = try HookVerifier(
            service: "https://session.example.com", environment: clock.environment, keySource: keys)
    }

    private static func set(_ key: RSASigningKey, algorithm: String = "PS256") throws -> Data {
        let jwk = key.publicKey.requiredMembers.merging(["kid": key.keyID, "alg": algorithm]) { first, _ in first }
        let access = ["kty": "OKP", "crv": "Ed25519", "kid": "access", "alg": "EdDSA", "x": "AA"]
        return try JSONEncoder().encode(["keys": [access, jwk]])
    }

    /// The header fields of a call that the service has signed.
    private func fields(
        id: String = "msg_1", at time: Int64? = nil, by key: RSASigningKey? = nil
    ) throws -> HTTPFields {
        let (time, key) = (String(time ?? clock.seconds), try key ?? Self.key.get())
        let signature = try key.pssSignature(for: Data("\(id).\(time).".utf8) + body)
        var fields = HTTPFields()
        for (name, value) in [
            "X-Webhook-Id": id, "X-Webhook-Timestamp": time, "X-Webhook-Signature-Key-Id": key.keyID,
            "X-Webhook-Signature-V2": Base64URL.encode(signature),
        ] { fields[try #require(HTTPField.Name(name))] = value }
        return fields
    }

    private func rejection(_ fields: HTTPFields, of body: Data? = nil) async -> HookVerificationError? {
        do {
            try await verifier.verify(body ?? self.body, headerFields: fields)
            return nil
        } catch {
            return error
        }
    }

    @Test("A call of the service is accepted once, and the keys are fetched once for many calls")
    func once() async throws {
        let first = try fields()
        #expect(try await verifier.verify(body, headerFields: first) == "msg_1")
        #expect(await rejection(first) == .repeated)
        #expect(await rejection(try fields(id: "msg_2")) == nil)
        #expect(keys.fetches == 1)
    }

    @Test("A strange key does not hide the others")
    func strangeKeys() async throws {
        let set = String(decoding: try Self.set(Self.key.get()), as: UTF8.self)
        let strange = #"{"keys":[{"kid":7,"kty":"RSA","alg":"PS256","n":["AA"],"e":true},"text",null,"#
        keys.publish(Data((strange + set.dropFirst(#"{"keys":["#.utf8.count)).utf8))
        #expect(await rejection(try fields()) == nil)
    }

    // Proves: H23
    @Test("The signature covers id, time and body")
    func covered() async throws {
        let signed = try fields()
        #expect(await rejection(signed, of: Data(#"{"purpose":"step_up"}"#.utf8)) == .invalidSignature)
        for (name, value) in [("X-Webhook-Id", "msg_2"), ("X-Webhook-Timestamp", String(clock.seconds + 1))] {
            var changed = signed
            changed[try #require(HTTPField.Name(name))] = value
            #expect(await rejection(changed) == .invalidSignature, "\(name)")
        }
        // A rejected call does not use the id up.
        #expect(await rejection(signed) == nil)
    }

    @Test(
        "A call without one of its header fields, or with another form, is rejected",
        arguments: [
            "X-Webhook-Id", "X-Webhook-Timestamp", "X-Webhook-Signature-Key-Id", "X-Webhook-Signature-V2",
        ], [nil, "", "-1 x"])
    func incomplete(name: String, value: String?) async throws {
        var fields = try fields()
        fields[try #require(HTTPField.Name(name))] = value
        let rejection = await rejection(fields)
        #expect(rejection != nil && rejection != .keysUnavailable)
        if value == nil { #expect(rejection == .missingHeaderFields) }
    }

    @Test("A call is accepted for 5 minutes, by the clock of each side", arguments: [-300, 300])
    func age(seconds: Int64) async throws {
        #expect(await rejection(try fields(id: "msg_in", at: clock.seconds + seconds)) == nil)
        let beyond = clock.seconds + seconds + seconds.signum()
        #expect(await rejection(try fields(id: "msg_out", at: beyond)) == .tooOld)
    }

    // Proves: H23
    @Test("An accepted id is remembered as long as its call would be accepted")
    func memory() async throws {
        let early = try fields(at: clock.seconds + 300)
        #expect(await rejection(early) == nil)
        clock.advance(600)
        #expect(await rejection(early) == .repeated)
        clock.advance(1)
        #expect(await rejection(early) == .tooOld)
    }

    @Test("Only keys for hooks are used, and an unknown key is fetched at most every 30 seconds")
    func otherKeys() async throws {
        let other = try Self.other.get()
        #expect(await rejection(try fields(by: other)) == .unknownKey)
        #expect(await rejection(try fields(by: other)) == .unknownKey)
        #expect(keys.fetches == 1)
        keys.publish(try Self.set(other, algorithm: "RS256"))
        clock.advance(30)
        #expect(await rejection(try fields(by: other)) == .unknownKey)
        keys.publish(try Self.set(other))
        clock.advance(30)
        #expect(await rejection(try fields(by: other)) == nil)
    }

    @Test("Keys are used for 5 minutes while the service is down, and then no call is accepted until it answers")
    func outage() async throws {
        #expect(await rejection(try fields()) == nil)
        keys.goDown()
        clock.advance(300)
        #expect(await rejection(try fields(id: "msg_2")) == nil)
        clock.advance(1)
        for _ in 1...2 { #expect(await rejection(try fields(id: "msg_3")) == .keysUnavailable) }
        #expect(keys.fetches == 2)
        keys.publish(try Self.set(Self.key.get()))
        clock.advance(1)
        #expect(await rejection(try fields(id: "msg_3")) == nil)
    }

    @Test("A call that becomes too old while its key is fetched is rejected: its id may be forgotten")
    func late() async throws {
        keys.hold()
        let sent = try fields(at: clock.seconds - 200)
        async let result = rejection(sent)
        while keys.fetches == 0 { await Task.yield() }
        clock.advance(150)
        keys.release()
        #expect(await result == .tooOld)
    }

    @Test("Calls that arrive at once share one fetch of the keys, and all are accepted")
    func together() async throws {
        keys.hold()
        let calls = try (1...10).map { try fields(id: "msg_\($0)") }
        let rejections = await withTaskGroup(of: HookVerificationError?.self) { group in
            for fields in calls { group.addTask { await rejection(fields) } }
            group.addTask { [keys] in
                while keys.fetches == 0 { await Task.yield() }
                keys.release()
                return nil
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(rejections == Array(repeating: nil, count: 11))
        #expect(keys.fetches == 1)
    }

    @Test("Invalid settings are rejected by name", arguments: [0, -1, .nan, 3601])
    func settings(age: Double) {
        let error = #expect(throws: VerifierConfigurationError.self) {
            _ = try HookVerifier(service: "https://session.example.com", maximumAge: age)
        }
        #expect(error?.field == "maximumAge")
    }
}
