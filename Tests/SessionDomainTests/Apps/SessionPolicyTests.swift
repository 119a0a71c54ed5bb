internal import Foundation
internal import SessionDomain
internal import Testing

@Suite("Settings of an app's sessions")
struct SessionPolicyTests {
    @Test("An app binds no access tokens unless it says so")
    func standard() {
        #expect(SessionPolicy().accessTokenBinding == .bearer)
        #expect(SessionPolicy.AccessTokenBinding(rawValue: "none") == .bearer)
    }

    @Test("What is stored is read again")
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

    @Test("A record that is older than the binding is read, and means none")
    func older() throws {
        let record = Data(
            """
            {"accessTokenLifetime": 120, "idleLifetime": 1000, "absoluteLifetime": 2000, "unboundGrace": 5,
             "noncePolicy": "always", "proofWindow": 30}
            """.utf8)
        let policy = try JSONDecoder().decode(SessionPolicy.self, from: record)
        #expect(policy.accessTokenBinding == .bearer)
        #expect(policy.accessTokenLifetime == 120)
        #expect(policy.noncePolicy == .always)
    }

    @Test("A record with a binding that nobody knows is not read as none")
    func unknown() {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(SessionPolicy.self, from: Data(#"{"accessTokenBinding": "mtls"}"#.utf8))
        }
    }

    @Test("Who has no key gets tokens only where they are not bound")
    func admission() {
        var policy = SessionPolicy()
        #expect(policy.admits(keyThumbprint: nil))
        policy.accessTokenBinding = .dpop
        #expect(!policy.admits(keyThumbprint: nil))
        #expect(policy.admits(keyThumbprint: "key"))
    }
}
