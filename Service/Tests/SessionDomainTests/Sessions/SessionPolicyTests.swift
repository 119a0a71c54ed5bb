internal import Foundation
internal import SessionDomain
internal import Testing

@Suite("Session policy")
struct SessionPolicyTests {
    @Test("By default access tokens are not bound")
    func standard() {
        #expect(SessionPolicy().accessTokenBinding == .bearer)
        #expect(SessionPolicy.AccessTokenBinding(rawValue: "none") == .bearer)
    }

    @Test("A stored policy is read back unchanged")
    func roundTrip() throws {
        var policy = SessionPolicy()
        policy.accessTokenLifetime = 60
        policy.accessTokenBinding = .dpop
        policy.deviceKey = .required
        policy.maximumSessions = 7
        policy.idleLifetime = 100
        policy.absoluteLifetime = 200
        policy.boundGrace = 20
        policy.unboundGrace = 5
        policy.noncePolicy = .always
        policy.proofWindow = 30
        #expect(try JSONDecoder().decode(SessionPolicy.self, from: JSONEncoder().encode(policy)) == policy)
        for grace in [60, nil] {
            policy.boundGrace = grace
            #expect(try JSONDecoder().decode(SessionPolicy.self, from: JSONEncoder().encode(policy)) == policy)
        }
    }

    @Test(
        "The limit of an older record counts as set unless it is the default of that version", arguments: [60, 61, 10])
    func olderLimit(seconds: Int) throws {
        let record = Data(#"{"boundGrace": \#(seconds), "unboundGrace": 5}"#.utf8)
        #expect(
            try JSONDecoder().decode(SessionPolicy.self, from: record).boundGrace == (seconds == 60 ? nil : seconds))
    }

    @Test("A record without a binding is read as unbound")
    func older() throws {
        let record = Data(
            """
            {"accessTokenLifetime": 120, "idleLifetime": 1000, "absoluteLifetime": 2000, "unboundGrace": 5,
             "noncePolicy": "always", "proofWindow": 30}
            """.utf8)
        let policy = try JSONDecoder().decode(SessionPolicy.self, from: record)
        #expect(policy.accessTokenBinding == .bearer)
        #expect(policy.accessTokenLifetime == 120)
        #expect(policy.boundGrace == nil)
        #expect(policy.noncePolicy == .always)
        #expect(policy.deviceKey == .optional && policy.maximumSessions == 100)
    }

    @Test("A record with an unknown binding is not read as unbound")
    func unknown() {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(SessionPolicy.self, from: Data(#"{"accessTokenBinding": "mtls"}"#.utf8))
        }
    }

    @Test("A client without a key gets tokens only if they are not bound")
    func admission() {
        var policy = SessionPolicy()
        #expect(policy.admits(keyThumbprint: nil))
        policy.accessTokenBinding = .dpop
        #expect(!policy.admits(keyThumbprint: nil))
        #expect(policy.admits(keyThumbprint: "key"))
    }

    @Test("A client without a key gets no token if the app requires a device key, bound tokens or not")
    func deviceKey() {
        var policy = SessionPolicy()
        policy.deviceKey = .required
        for binding in [SessionPolicy.AccessTokenBinding.bearer, .dpop] {
            policy.accessTokenBinding = binding
            #expect(!policy.admits(keyThumbprint: nil))
            #expect(policy.admits(keyThumbprint: "key"))
        }
    }

    @Test(
        "The maximum number of sessions is 1 to 1000", arguments: [(0, false), (1, true), (1000, true), (1001, false)])
    func maximumSessions(maximum: Int, isValid: Bool) {
        var policy = SessionPolicy()
        policy.maximumSessions = maximum
        var refusal: Refusal?
        do { try SessionPolicy.schema.check(policy) } catch { refusal = error }
        #expect(refusal == (isValid ? nil : .invalidField("maximum_sessions", "must be 1 to 1000")))
    }
}
