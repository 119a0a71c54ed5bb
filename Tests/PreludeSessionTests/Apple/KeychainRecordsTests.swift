import Foundation
import Testing

@testable import PreludeSession

@Suite("Credentials in the Keychain")
struct KeychainRecordsTests {
    private let keychain = InMemoryKeychain()
    private let one = Data("one".utf8)
    private let two = Data("two".utf8)

    private var records: KeychainRecords {
        KeychainRecords(items: keychain, lock: FileLock(directory: NSTemporaryDirectory() + "prelude-keychain"))
    }

    private func text(_ work: () throws -> Void) throws -> String {
        let error = try #require(#expect(throws: PreludeSessionError.self, performing: work))
        guard case .storageUnavailable(let text) = error else {
            Issue.record("\(error)")
            return ""
        }
        return text.description
    }

    @Test("A record can be read, replaced and deleted")
    func roundTrip() throws {
        #expect(try records.read("a") == nil)
        try records.write(one, to: "a")
        try records.write(two, to: "a")
        #expect(try records.read("a") == two)
        try records.delete("a")
        try records.delete("a")
        #expect(try records.read("a") == nil)
    }

    @Test("The status codes are those of Security/SecBase.h")
    func codes() {
        #expect(KeychainStatus.success.rawValue == 0)
        #expect(KeychainStatus.itemNotFound.rawValue == -25300)
        #expect(KeychainStatus.duplicateItem.rawValue == -25299)
        #expect(KeychainStatus.interactionNotAllowed.rawValue == -25308)
        #expect(KeychainStatus.authFailed.rawValue == -25293)
        #expect(KeychainStatus.notAvailable.rawValue == -25291)
        #expect(KeychainStatus.missingEntitlement.rawValue == -34018)
    }

    @Test(
        "A failing Keychain is unavailable storage with a remedy in every operation, and its records stay",
        arguments: [
            (KeychainStatus.interactionNotAllowed, "not been unlocked"), (.authFailed, "access was denied"),
            (.missingEntitlement, "App Groups or Keychain Sharing"), (.notAvailable, "does not respond"),
            (KeychainStatus(rawValue: -26275), "try again"),
        ])
    func refusals(status: KeychainStatus, remedy: String) throws {
        try records.write(one, to: "a")
        keychain.refuse(status)
        for text in [
            try text { _ = try records.read("a") }, try text { try records.write(two, to: "a") },
            try text { try records.delete("a") }, try text { _ = try records.create(two, at: "b") },
        ] {
            #expect(text.contains(remedy) && text.contains(String(status.rawValue)))
        }
        keychain.refuse(nil)
        #expect(try records.read("a") == one)
    }

    @Test(
        "A Mac app without the entitlement gets an error of its configuration, and every other status stays unavailable"
    )
    func missingEntitlementOnMac() throws {
        guard case .invalidConfiguration(let text) = KeychainStatus.missingEntitlement.failure("read", isMac: true)
        else {
            return #expect(Bool(false))
        }
        #expect(
            text.text.contains("-34018") && text.text.contains("Keychain Sharing")
                && text.text.contains("PreludeFileCredentialStore"))
        for (status, isMac) in [(KeychainStatus.missingEntitlement, false), (.notAvailable, true)] {
            guard case .storageUnavailable = status.failure("read", isMac: isMac) else {
                return #expect(Bool(false), "\(status)")
            }
        }
    }

    @Test(
        "Only a locked Keychain asks for an unlock",
        arguments: [
            (KeychainStatus.interactionNotAllowed, true), (.authFailed, true), (.missingEntitlement, false),
            (.notAvailable, false), (KeychainStatus(rawValue: -26275), false),
        ])
    func needsUnlock(status: KeychainStatus, expected: Bool) {
        let error = status.failure("read", isMac: false)
        #expect(error.needsUnlock == expected)
        #expect(error.message.key == (expected ? .unlockDevice : .storageFailed))
        #expect(KeychainStatus.hiddenItems("read").needsUnlock)
    }

    @Test("A success without data does not mean that there is no record")
    func emptySuccess() throws {
        keychain.refuse(.success)
        _ = try text { _ = try records.read("a") }
    }

    @Test("A record that another process adds during a write is replaced")
    func addedInBetween() throws {
        keychain.interfere(before: "add", with: "a", one)
        try records.write(two, to: "a")
        #expect(keychain.items == ["a": two])
        #expect(keychain.calls == ["update", "add", "update"])
    }

    @Test("A record that another process deletes during a write is added")
    func deletedInBetween() throws {
        try records.write(one, to: "a")
        keychain.interfere(before: "update", with: "a", nil)
        try records.write(two, to: "a")
        #expect(keychain.items == ["a": two])
    }

    @Test("A record is replaced without deleting it first")
    func neverAbsent() throws {
        try records.write(one, to: "a")
        try records.write(two, to: "a")
        #expect(!keychain.calls.contains("delete"))
    }

    @Test("A record is created with one call, and a duplicate is not replaced")
    func create() throws {
        #expect(try records.create(one, at: "a"))
        #expect(try !records.create(two, at: "a"))
        #expect(keychain.calls == ["add", "add"])
        #expect(keychain.items == ["a": one])
    }

    @Test("A record that another process adds first is not replaced")
    func createdInBetween() throws {
        keychain.interfere(before: "add", with: "a", two)
        #expect(try !records.create(one, at: "a"))
        #expect(try records.read("a") == two)
    }

    @Test("An item that can be neither updated nor added ends in an error and not in a loop")
    func endless() throws {
        keychain.refuse(.duplicateItem)
        _ = try text { try records.write(one, to: "a") }
        #expect(keychain.calls.count < 10)
    }
}
