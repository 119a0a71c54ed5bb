import Foundation
import Testing

@_spi(Service) @testable import PreludeSession

@Suite("A session in the Keychain", .timeLimit(.minutes(5)))
struct LockedDeviceTests {
    private let keychain = InMemoryKeychain()
    private let clock = TestClock()
    private let transport = ScriptedTransport()

    /// A client of a signed-in device. It has read nothing yet.
    private func client() async throws -> PreludeSessionClient {
        let directory = NSTemporaryDirectory() + "prelude-keychain"
        let store = KeychainRecords(items: keychain, lock: FileLock(directory: directory))
        let fixture = try await ClientFixture()
        for suffix in [".session", ".key"] {
            try store.write(
                try #require(try await fixture.store.read(ClientFixture.name + suffix)), to: ClientFixture.name + suffix
            )
        }
        let clock = clock
        var configuration = PreludeSessionClient.Configuration()
        configuration.credentialStore = store
        configuration.transport = transport
        configuration.environment = SDKEnvironment(now: { clock.now }, randomBytes: { TestRandomness().bytes($0) })
        return try PreludeSessionClient(configuration: configuration)
    }

    // Proves: E1
    @Test(
        "Before the first unlock the session is kept, and after it the same client continues",
        arguments: [KeychainStatus.interactionNotAllowed, .authFailed, .missingEntitlement, .notAvailable])
    func healsByItself(status: KeychainStatus) async throws {
        let client = try await client()
        let before = keychain.items
        keychain.refuse(status)
        #expect(try await failure { _ = try await client.refresh() } == "storageUnavailable")
        #expect(await client.profile == nil)
        #expect(keychain.items == before, "nothing is wiped")

        keychain.refuse(nil)
        #expect(try await client.refresh().profile.sessionID == "ses_1")
        #expect(await client.profile?.sessionID == "ses_1")
    }

    // Proves: E1
    @Test(
        "An app that the system starts before the first unlock stays signed in although the Keychain finds nothing",
        arguments: [KeychainStatus.interactionNotAllowed, .duplicateItem])
    func prewarmed(status: KeychainStatus) async throws {
        let client = try await client()
        let before = keychain.items
        keychain.hide(addingReturns: status)
        #expect(try await failure { _ = try await client.refresh() } == "storageUnavailable")
        #expect(await client.profile == nil)
        keychain.hide(addingReturns: nil)
        #expect(keychain.items == before, "nothing is wiped")
        #expect(try await client.refresh().profile.sessionID == "ses_1")
    }

    @Test("A logout while the Keychain finds nothing is effective after the first unlock")
    func logoutWhilePrewarmed() async throws {
        let client = try await client()
        keychain.hide(addingReturns: .interactionNotAllowed)
        #expect(try await failure { try await client.logout() } == "storageUnavailable")
        keychain.hide(addingReturns: nil)
        #expect(try await failure { _ = try await client.refresh() } == "unauthorized")
        #expect(keychain.items[ClientFixture.name + ".session"] == nil)
    }

    @Test("A logout before the first unlock is effective after it")
    func logoutWhileLocked() async throws {
        let client = try await client()
        keychain.refuse(.interactionNotAllowed)
        #expect(try await failure { try await client.logout() } == "storageUnavailable")
        keychain.refuse(nil)
        await transport.answer("/revoke", .success())
        #expect(try await failure { _ = try await client.refresh() } == "unauthorized")
        #expect(keychain.items[ClientFixture.name + ".session"] == nil)
        // The logout could not read the token. The wipe has read it.
        await transport.arrival(of: "/revoke")
        #expect(await transport.requests("/revoke").first?.headers["x-refresh-token"] == "refresh-0")
    }

    // Proves: E1
    @Test("Only a missing item means that no user is signed in")
    func signedOut() async throws {
        let client = try await client()
        #expect(keychain.delete(ClientFixture.name + ".session") == .success)
        #expect(try await failure { _ = try await client.refresh() } == "unauthorized")
    }
}
