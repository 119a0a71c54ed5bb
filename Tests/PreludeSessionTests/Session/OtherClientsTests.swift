import Foundation
import Testing

@testable import PreludeSession

@Suite("Clients that share a store")
struct OtherClientsTests {
    @Test("A client without a session finds the login of another client")
    func signedInElsewhere() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try fixture.client()
        #expect(await client.profile == nil)
        try await fixture.signIn()
        #expect(try await client.refresh().profile.sessionID == "ses_1")
        #expect(await client.profile?.sessionID == "ses_1")
    }

    @Test("A rejected refresh is no sign-out when another client has signed in since")
    func replacedElsewhere() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        try await client.invalidateSession()
        await fixture.transport.answer(
            "/refresh", .after({ try await fixture.signIn(session: "ses_2") }, .errorResponse(401, "unauthorized")))
        #expect(try await client.refresh().profile.sessionID == "ses_2")
        #expect(try await fixture.stored()?.sessionID == "ses_2")
    }

    @Test("A logout ends the stored session of another client")
    func logoutOfWhatIsStored() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        _ = await client.profile
        try await fixture.signIn(session: "ses_2", refreshToken: "refresh-1")
        await fixture.transport.answer("/revoke", .success(), .success())
        try await client.logoutAndRevoke()
        #expect(try await fixture.stored() == nil)
        #expect(await fixture.transport.count("/revoke") == 2)
    }

    @Test("Two concurrent first logins create one device key")
    func oneKey() async throws {
        let store = PreludeInMemoryCredentialStore()
        let keys = CountingKeyStore(inner: PreludeSoftwareDeviceKeyStore(store: store))
        let device = DeviceIdentity(
            records: RecordStore(store: store, endpoint: "n"), keys: keys, environment: .live)
        let other = DeviceIdentity(
            records: RecordStore(store: store, endpoint: "n"), keys: keys, environment: .live)
        async let first: Void = device.prepareKey()
        async let second: Void = device.prepareKey()
        async let third: Void = other.prepareKey()
        _ = try await (first, second, third)
        #expect(await keys.made == 1)
    }

    private actor CountingKeyStore: PreludeDeviceKeyStore {
        private let inner: PreludeSoftwareDeviceKeyStore
        private(set) var made = 0

        init(inner: PreludeSoftwareDeviceKeyStore) { self.inner = inner }

        func key(_ name: String) async throws -> (any PreludeDeviceKey)? { try await inner.key(name) }

        func makeKey(_ name: String) async throws -> any PreludeDeviceKey {
            made += 1
            return try await inner.makeKey(name)
        }
    }
}
