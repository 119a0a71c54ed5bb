import Foundation
import Synchronization

@testable import PreludeSession

/// A keychain in memory that answers as Security does, and refuses when told to.
final class InMemoryKeychain: KeychainItems {
    private struct State {
        var items: [String: Data] = [:]
        var refusal: KeychainStatus?
        var calls: [String] = []
        /// What another process does just before the call of that name; once.
        var interference: [String: [String: Data?]] = [:]
    }

    private let state = Mutex(State())

    /// Every call answers with the status, until `nil`.
    func refuse(_ status: KeychainStatus?) { state.withLock { $0.refusal = status } }

    /// Just before the next call of that name, another process writes the data, or deletes for `nil`.
    func interfere(before call: String, with account: String, _ data: Data?) {
        state.withLock { $0.interference[call] = [account: data] }
    }

    var items: [String: Data] { state.withLock { $0.items } }
    var calls: [String] { state.withLock { $0.calls } }

    private func perform(_ call: String, _ work: (inout State) -> KeychainStatus) -> KeychainStatus {
        state.withLock { state in
            for (account, data) in state.interference.removeValue(forKey: call) ?? [:] { state.items[account] = data }
            state.calls.append(call)
            if let refusal = state.refusal { return refusal }
            return work(&state)
        }
    }

    func copy(_ account: String) -> (status: KeychainStatus, data: Data?) {
        var data: Data?
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
