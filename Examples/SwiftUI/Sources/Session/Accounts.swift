import Foundation
import Observation
import PreludeSession

/// The accounts of this device. Each has its own session, in its own credential space.
@MainActor @Observable
final class Accounts {
    struct Account: Identifiable {
        /// The name of the credential space. Empty for the first account, which has none.
        let id: String
        let client: PreludeSessionClient
        let session: SessionModel

        @MainActor
        init(id: String) throws {
            self.id = id
            var configuration = PreludeSessionClient.Configuration()
            configuration.credentialSpace = id.isEmpty ? nil : id
            client = try PreludeSessionClient(configuration: configuration)
            session = SessionModel(client: client)
        }
    }

    private(set) var all: [Account]
    private(set) var current: Account

    /// The SDK does not list the spaces, so the app keeps their names.
    private static let key = "accounts"

    init() throws {
        let names = UserDefaults.standard.stringArray(forKey: Self.key) ?? []
        let first = try Account(id: "")
        all = try [first] + names.map { try Account(id: $0) }
        current = first
    }

    func select(_ account: Account) { current = account }

    /// Adds an account, for which the app then shows the login. The others stay signed in.
    func add() throws {
        let account = try Account(id: "account-" + UUID().uuidString.lowercased())
        all.append(account)
        current = account
        save()
    }

    /// Signs an account out and forgets it. The first account stays in the list.
    func remove(_ account: Account) async throws {
        try await account.client.logout()
        guard !account.id.isEmpty else { return }
        all.removeAll { $0.id == account.id }
        if current.id == account.id { current = all[0] }
        save()
    }

    private func save() {
        UserDefaults.standard.set(all.map(\.id).filter { !$0.isEmpty }, forKey: Self.key)
    }
}
