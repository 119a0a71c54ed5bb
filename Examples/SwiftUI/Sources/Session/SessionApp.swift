import PreludeSession
import SwiftUI

/// Makes one client for each account, and shows a view for the state of its session.
@main
struct SessionApp: App {
    @State private var accounts: Accounts
    @Environment(\.scenePhase) private var phase

    init() {
        do {
            _accounts = State(initialValue: try Accounts())
        } catch {
            preconditionFailure("The settings of the client are invalid: \(error)")
        }
    }

    var body: some Scene {
        WindowGroup { AccountSwitcher(accounts: accounts) }
            .onChange(of: phase) { _, phase in
                if phase == .active { Task { await accounts.current.session.reload() } }
            }
    }
}
