import PreludeSession
import SwiftUI

/// Shows the accounts of this device, and the view of the current one.
struct AccountSwitcher: View {
    let accounts: Accounts

    @State private var attempt = Attempt()

    var body: some View {
        VStack(spacing: 12) {
            HStack {
                ForEach(accounts.all, id: \.id) { account in
                    Button(Self.name(of: account)) { accounts.select(account) }
                }
                Button("Add an account") { Task { await attempt { try accounts.add() } } }
            }
            // The id of the account is the identity of the view: no text field keeps what another account typed.
            ForEach([accounts.current], id: \.id) { account in
                AccountView(account: account)
                if !account.id.isEmpty {
                    Button("Remove this account") { Task { await attempt { try await accounts.remove(account) } } }
                }
            }
            if let message = attempt.message { Text(message).foregroundStyle(.red) }
        }
    }

    private static func name(of account: Accounts.Account) -> LocalizedStringKey {
        switch account.session.state {
        case .unknown, .locked: "…"
        case .signedOut, .failed: "Signed out"
        case .signedIn(let profile): "\(profile.userID ?? "Signed in")"
        }
    }
}

/// Shows a view for the state of an account's session.
struct AccountView: View {
    let account: Accounts.Account

    var body: some View {
        switch account.session.state {
        // For a moment at launch, and while the device is locked. A user may be signed in: show no login screen.
        case .unknown, .locked: Color.clear
        case .signedOut(let reason): LoginView(client: account.client, reason: reason)
        // The credentials are damaged, for example. A login replaces them.
        case .failed(let error):
            Text(error.message.text())
            LoginView(client: account.client, reason: nil)
        case .signedIn(let profile): HomeView(client: account.client, profile: profile)
        }
    }
}
