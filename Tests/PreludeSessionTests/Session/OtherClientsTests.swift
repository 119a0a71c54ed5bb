import Foundation
import Testing

@testable import PreludeSession

@Suite("Clients that share a store")
struct OtherClientsTests {
    @Test("what another client signed in is found by one that knew of nobody")
    func signedInElsewhere() async throws {
        let stage = try await Stage(signedIn: false)
        let client = try stage.client()
        #expect(await client.profile == nil)
        try await stage.signIn()
        #expect(try await client.refresh().profile.sessionID == "ses_1")
        #expect(await client.profile?.sessionID == "ses_1")
    }

    @Test("a session that is over is no sign-out when another client has signed in since")
    func replacedElsewhere() async throws {
        let stage = try await Stage()
        let client = try stage.client()
        try await client.invalidateSession()
        await stage.transport.answer(
            "/refresh", .after({ try await stage.signIn(session: "ses_2") }, .refusal(401, "unauthorized")))
        #expect(try await client.refresh().profile.sessionID == "ses_2")
        #expect(try await stage.stored()?.sessionID == "ses_2")
    }

    @Test("signing out ends what is stored, though another client signed it in")
    func logoutOfWhatIsStored() async throws {
        let stage = try await Stage()
        let client = try stage.client()
        _ = await client.profile
        try await stage.signIn(session: "ses_2")
        await stage.transport.answer("/revoke", .success(), .success())
        try await client.logout()
        #expect(try await stage.stored() == nil)
        #expect(await stage.transport.count("/revoke") == 2)
    }

    @Test("two first logins at once make one device key")
    func oneKey() async throws {
        let store = InMemoryCredentialStore()
        let keys = CountingKeyStore(inner: SoftwareDeviceKeyStore(store: store))
        let device = DeviceIdentity(name: "n", store: store, keys: keys, environment: .live)
        let other = DeviceIdentity(name: "n", store: store, keys: keys, environment: .live)
        async let first: Void = device.prepareKey()
        async let second: Void = device.prepareKey()
        async let third: Void = other.prepareKey()
        _ = try await (first, second, third)
        #expect(await keys.made == 1)
    }

    private actor CountingKeyStore: DeviceKeyStore {
        private let inner: SoftwareDeviceKeyStore
        private(set) var made = 0

        init(inner: SoftwareDeviceKeyStore) { self.inner = inner }

        func key(_ name: String) async throws -> (any DeviceKey)? { try await inner.key(name) }

        func makeKey(_ name: String) async throws -> any DeviceKey {
            made += 1
            return try await inner.makeKey(name)
        }
    }
}
