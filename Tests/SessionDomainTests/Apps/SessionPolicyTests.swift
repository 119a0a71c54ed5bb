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
        policy.idleLifetime = 100
        policy.absoluteLifetime = 200
        policy.boundGrace = 20
        policy.unboundGrace = 5
        policy.noncePolicy = .always
        policy.proofWindow = 30
        #expect(try JSONDecoder().decode(SessionPolicy.self, from: JSONEncoder().encode(policy)) == policy)
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
        #expect(policy.boundGrace == 60)
        #expect(policy.noncePolicy == .always)
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
}
