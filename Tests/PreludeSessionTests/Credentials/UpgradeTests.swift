import Crypto
import Foundation
import Testing

@testable import PreludeSession

/// The exact records of all versions of the SDK so far. A new version adds records and removes none.
@Suite("Records of other versions")
struct UpgradeTests {
    private static let key = Data((1...32).map { UInt8($0) })
    private static let token = TestToken.access("access-0")
    private static let ended = Int(TestClock.start)

    /// The records of version 1, by suffix.
    private static let first: [String: String] = [
        ".session": """
        {"accessToken":"\(token)","accessTokenExpiresAt":\(ended),"refreshToken":"refresh-0",\
        "refreshTokenExpiresAt":\(ended + 86_400),"version":1}
        """,
        ".key": #"{"key":"\#(key.base64EncodedString())","version":1}"#,
        ".device": """
        {"clockOffset":-3600,"deviceID":"0b5a2f6e-8d4c-4b1a-9c3e-7f6d5e4c3b2a","nonce":"n-1","version":1}
        """,
        ".stepup": """
        {"entries":[{"scope":"transfer:write","sessionID":"ses_1","status":"review",\
        "token":"\(TestToken.challenge("t0"))"}],"version":1}
        """,
        // Seconds since 2001, the default of `Codable`.
        ".revocations": #"{"entries":[{"expiresAt":800000000,"refreshToken":"refresh-old"}],"version":1}"#,
    ]

    private func fixture(_ records: [String: String]) async throws -> ClientFixture {
        let fixture = try await ClientFixture(signedIn: false)
        for (name, text) in records { try await fixture.store.write(Data(text.utf8), to: ClientFixture.name + name) }
        return fixture
    }

    // Proves: E11
    @Test(
        "Records of version 1 are read and used: session, key, device, step-ups and revocations",
        .timeLimit(.minutes(5)))
    func versionOne() async throws {
        let fixture = try await fixture(Self.first)
        fixture.clock.advance(3600)
        let client = try fixture.client()
        #expect(await client.profile?.sessionID == "ses_1")
        #expect(await client.activeStepUp?.challengeID == "chl_1")
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        await fixture.transport.answer("/revoke", .success())
        try await client.refresh()
        let sent = try #require(await fixture.transport.requests("/refresh").first)
        #expect(sent.headers["x-refresh-token"] == "refresh-0")
        #expect(sent.headers["x-device-id"] == "0b5a2f6e-8d4c-4b1a-9c3e-7f6d5e4c3b2a")
        #expect(sent.proof?["nonce"] == .string("n-1"))
        #expect(sent.proof?["iat"] == .int(Int64(TestClock.start)))
        let header = try #require(sent.headers["dpop"]?.split(separator: ".").first)
        let publicKey = try P256.Signing.PrivateKey(rawRepresentation: Self.key).publicKey.rawRepresentation
        #expect(
            TestToken.claims(of: "h.\(header).s")?["jwk"]?.members["x"]
                == .string(
                    TestToken.base64URL(publicKey.prefix(32))))
        await fixture.transport.arrival(of: "/revoke")
        #expect(await fixture.transport.requests("/revoke").first?.headers["x-refresh-token"] == "refresh-old")
    }

    // Proves: E11
    @Test("Records of version 1 without optional members are read")
    func versionOneSparse() async throws {
        var records = Self.first
        records[".session"] = """
            {"accessToken":"\(Self.token)","accessTokenExpiresAt":\(Self.ended),"refreshToken":"refresh-0","version":1}
            """
        records[".device"] = #"{"clockOffset":0,"deviceID":"0b5a2f6e-8d4c-4b1a-9c3e-7f6d5e4c3b2a","version":1}"#
        records[".revocations"] = nil
        let fixture = try await fixture(records)
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        #expect(try await fixture.client().refresh().profile.sessionID == "ses_1")
    }

    // Proves: E11
    @Test("Records are written with the members of version 1", arguments: [".session", ".key", ".device", ".stepup"])
    func sameMembers(record: String) async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        _ = try await fixture.challenge(of: client)
        let written = try #require(try await fixture.store.read(ClientFixture.name + record))
        let now = try JSONDecoder().decode([String: PreludeJSONValue].self, from: written)
        let then = try JSONDecoder().decode(
            [String: PreludeJSONValue].self, from: Data(try #require(Self.first[record]).utf8))
        #expect(Set(now.keys).isSubset(of: then.keys), "a member was added: raise the version, and add a record here")
        #expect(now["version"] == then["version"])
    }

    // Proves: E11
    @Test(
        "Records of a newer version are never deleted or replaced",
        arguments: [".session", ".key", ".device", ".stepup", ".revocations"])
    func newer(record: String) async throws {
        let newer = #"{"version":2,"shape":"of tomorrow"}"#
        var records = Self.first
        records[record] = newer
        let fixture = try await fixture(records)
        let client = try fixture.client()
        fixture.clock.advance(3600)
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        await fixture.transport.answer("/revoke", .success())
        let error = try await failure { try await client.refresh() }
        #expect(error == ([".session", ".key"].contains(record) ? "storageUnavailable" : nil))
        _ = await client.activeStepUp
        await client.engine.saveStepUps()
        #expect(try await fixture.store.read(ClientFixture.name + record) == Data(newer.utf8))
    }
}

extension PreludeJSONValue {
    /// The members of an object.
    fileprivate var members: [String: PreludeJSONValue] {
        if case .object(let members) = self { members } else { [:] }
    }
}
