import Foundation
import Testing

@testable import PreludeSession

@Suite("A Keychain that hides its items before the first unlock")
struct KeychainMarkerTests {
    private let keychain = InMemoryKeychain()
    private let data = Data("one".utf8)

    private var records: KeychainRecords {
        KeychainRecords(items: keychain, lock: FileLock(directory: NSTemporaryDirectory() + "prelude-keychain"))
    }

    private static let addingReturns: [KeychainStatus] = [.interactionNotAllowed, .duplicateItem, .success]

    // Proves: E1
    @Test(
        "A hidden record is unavailable and not absent, whatever adding a marker returns",
        arguments: addingReturns, [false, true])
    func hidden(status: KeychainStatus, hasMarker: Bool) async throws {
        try records.write(data, to: "a")
        if hasMarker { #expect(try records.read("b") == nil) }
        keychain.hide(addingReturns: status)
        for work in [{ _ = try records.read("a") }, { try records.delete("a") }] as [@Sendable () throws -> Void] {
            #expect(try await failure { try work() } == "storageUnavailable")
        }
        keychain.hide(addingReturns: nil)
        #expect(try records.read("a") == data)
    }

    @Test("A missing record is absent when the marker is visible, and the marker is added once")
    func visible() throws {
        #expect(try records.read("a") == nil)
        #expect(try records.read("a") == nil)
        try records.delete("a")
        #expect(keychain.calls.count { $0 == "add" } == 1)
        #expect(Array(keychain.items.keys) == [KeychainMarker.account])
    }

    @Test("A record that is found needs no marker")
    func found() throws {
        try records.write(data, to: "a")
        #expect(try records.read("a") == data)
        try records.delete("a")
        #expect(keychain.items.isEmpty)
    }

    @Test("A device that is unlocked between two look-ups shows the record")
    func unlockedInBetween() throws {
        #expect(try records.read("a") == nil)
        // The first look-up of the record finds nothing. Before the look-up of the marker it appears.
        keychain.interfere(beforeCopyOf: KeychainMarker.account, with: "a", data)
        #expect(try records.read("a") == data)
    }
}
