import Foundation
import Synchronization

@testable import PreludeSession

/// A Keychain in memory with Security's status codes. Tests can make it fail.
final class InMemoryKeychain: KeychainItems {
    private struct State {
        var items: [String: Data] = [:]
        var refusal: KeychainStatus?
        /// The status of every `add` while the Keychain hides all items.
        var hiding: KeychainStatus?
        var calls: [String] = []
        /// What another process does before the next call with this name.
        var interference: [String: [String: Data?]] = [:]
    }

    private let state = Mutex(State())

    /// Every call returns this status until it is `nil`.
    func refuse(_ status: KeychainStatus?) { state.withLock { $0.refusal = status } }

    /// All items look missing, and every `add` returns this status, until it is `nil`.
    func hide(addingReturns status: KeychainStatus?) { state.withLock { $0.hiding = status } }

    /// Before the next call with this name, another process writes the data, or deletes the item for `nil`.
    func interfere(before call: String, with account: String, _ data: Data?) {
        state.withLock { $0.interference[call] = [account: data] }
    }

    /// Before the next look-up of an account, another process writes the data.
    func interfere(beforeCopyOf account: String, with other: String, _ data: Data) {
        interfere(before: "copy " + account, with: other, data)
    }

    var items: [String: Data] { state.withLock { $0.items } }
    var calls: [String] { state.withLock { $0.calls } }

    private func perform(_ call: String, _ work: (inout State) -> KeychainStatus) -> KeychainStatus {
        state.withLock { state in
            for (account, data) in state.interference.removeValue(forKey: call) ?? [:] { state.items[account] = data }
            state.calls.append(call)
            if let refusal = state.refusal { return refusal }
            if let hiding = state.hiding { return call == "add" ? hiding : .itemNotFound }
            return work(&state)
        }
    }

    func copy(_ account: String) -> (status: KeychainStatus, data: Data?) {
        var data: Data?
        state.withLock { state in
            for (other, data) in state.interference.removeValue(forKey: "copy " + account) ?? [:] {
                state.items[other] = data
            }
        }
        let status = perform("copy") { state in
            data = state.items[account]
            return data == nil ? .itemNotFound : .success
        }
        return (status, data)
    }

    func add(_ account: String, _ data: Data) -> KeychainStatus {
        perform("add") { state in
            guard state.items[account] == nil else { return .duplicateItem }
            state.items[account] = data
            return .success
        }
    }

    func update(_ account: String, _ data: Data) -> KeychainStatus {
        perform("update") { state in
            guard state.items[account] != nil else { return .itemNotFound }
            state.items[account] = data
            return .success
        }
    }

    func delete(_ account: String) -> KeychainStatus {
        perform("delete") { $0.items.removeValue(forKey: account) == nil ? .itemNotFound : .success }
    }
}
