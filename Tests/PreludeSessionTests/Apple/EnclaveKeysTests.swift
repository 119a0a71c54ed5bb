import Crypto
import Foundation
import Testing

@testable import PreludeSession

@Suite("The device key in an enclave")
struct EnclaveKeysTests {
    private let enclave = FakeEnclave()
    private let store = PreludeInMemoryCredentialStore()
    private let message = Data("message".utf8)

    private var keys: EnclaveKeys { EnclaveKeys(enclave: enclave, store: store) }

    private func isGood(_ key: any PreludeDeviceKey) throws -> Bool {
        let publicKey = try P256.Signing.PublicKey(rawRepresentation: key.publicKey)
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: key.signature(for: message))
        return publicKey.isValidSignature(signature, for: message)
    }

    @Test("A key is found again after a relaunch and signs")
    func roundTrip() async throws {
        #expect(try await keys.key("a") == nil)
        let made = try await keys.makeKey("a")
        let found = try #require(try await keys.key("a"))
        #expect(found.publicKey == made.publicKey)
        #expect(try isGood(found))
    }

    @Test("The store keeps the enclave's blob and never a private key")
    func opaque() async throws {
        _ = try await keys.makeKey("a")
        #expect(await store.read("a.key") == nil)
        let record = try #require(await store.read("a.enclave-key"))
        let stored = try #require(try JSONSerialization.jsonObject(with: record) as? [String: Any])
        #expect(Set(stored.keys) == ["version", "blob"])
    }

    @Test("A device without an enclave gets a software key")
    func noEnclave() async throws {
        enclave.remove()
        let made = try await keys.makeKey("a")
        #expect(try isGood(made))
        #expect(await store.read("a.enclave-key") == nil)
        #expect(try await keys.key("a")?.publicKey == made.publicKey)
    }

    @Test("A session that began with a software key keeps it on a device with an enclave")
    func upgrade() async throws {
        let old = try await PreludeSoftwareDeviceKeyStore(store: store).makeKey("a")
        #expect(try await keys.key("a")?.publicKey == old.publicKey)
    }

    @Test("A new key replaces an existing key of either kind")
    func replaces() async throws {
        _ = try await PreludeSoftwareDeviceKeyStore(store: store).makeKey("a")
        let inEnclave = try await keys.makeKey("a")
        #expect(try await keys.key("a")?.publicKey == inEnclave.publicKey)
        #expect(await store.read("a.key") == nil)
        enclave.remove()
        let software = try await keys.makeKey("a")
        #expect(try await keys.key("a")?.publicKey == software.publicKey)
    }

    // Proves: E9
    @Test("A blob that a working enclave rejects is a lost key")
    func lost() async throws {
        let key = try await keys.makeKey("a")
        enclave.forget()
        #expect(try await failure { _ = try await keys.key("a") } == "deviceKeyLost")
        #expect(try await failure { _ = try key.signature(for: message) } == "deviceKeyLost")
    }

    @Test("A blob on a device without an enclave is a lost key")
    func movedAway() async throws {
        _ = try await keys.makeKey("a")
        enclave.remove()
        #expect(try await failure { _ = try await keys.key("a") } == "deviceKeyLost")
    }

    @Test("An enclave that rejects everything is unavailable, and no key is lost")
    func locked() async throws {
        let key = try await keys.makeKey("a")
        enclave.lock(true)
        #expect(try await failure { _ = try await keys.key("a") } == "storageUnavailable")
        #expect(try await failure { _ = try key.signature(for: message) } == "storageUnavailable")
        enclave.lock(false)
        #expect(try await keys.key("a")?.publicKey == key.publicKey)
        #expect(try isGood(key))
    }

    @Test("An enclave that is available but creates no keys is replaced by a software key, and the log says so")
    func createsNoKeys() async throws {
        _ = try await keys.makeKey("a")
        enclave.lock(true)
        let recorder = RecordedLog()
        var keys = keys
        keys.log = SessionLog(handler: recorder)
        let key = try await keys.makeKey("a")
        #expect(try isGood(key))
        #expect(recorder.messages == ["the Secure Enclave creates no key, so the device key is a software key"])
        // Also after a relaunch, when the enclave works again.
        enclave.lock(false)
        #expect(try await self.keys.key("a")?.publicKey == key.publicKey)
    }

    @Test("An enclave that fails once creates the key at the second try")
    func failsOnce() async throws {
        enclave.fail(1)
        _ = try await keys.makeKey("a")
        #expect(await store.read("a.key") == nil)
        #expect(enclave.count == 1)
    }

    @Test("On a locked device no key is created, and the old key stays")
    func lockedStore() async throws {
        let keychain = InMemoryKeychain()
        let locked = KeychainRecords(
            items: keychain, lock: FileLock(directory: NSTemporaryDirectory() + "prelude-keychain"))
        let keys = EnclaveKeys(enclave: enclave, store: locked)
        let old = try await keys.makeKey("a")
        enclave.lock(true)
        keychain.refuse(.interactionNotAllowed)
        #expect(try await failure { _ = try await keys.makeKey("a") } == "storageUnavailable")
        enclave.lock(false)
        keychain.refuse(nil)
        #expect(try await keys.key("a")?.publicKey == old.publicKey)
    }

    @Test("A key record of a newer version is kept and is not a lost key")
    func newerVersion() async throws {
        _ = try await keys.makeKey("a")
        await store.write(Data(#"{"version":2,"blob":"AAAA"}"#.utf8), to: "a.enclave-key")
        #expect(try await failure { _ = try await keys.key("a") } == "storageUnavailable")
    }
}
