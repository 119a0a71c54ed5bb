import PreludeSession
import SwiftUI

/// Makes the one client, and shows what its session is.
@main
struct SessionApp: App {
    private let client: PreludeSessionClient
    @State private var session: SessionModel
    @Environment(\.scenePhase) private var phase

    init() {
        do {
            client = try PreludeSessionClient()
        } catch {
            preconditionFailure("The settings of the client cannot work: \(error)")
        }
        _session = State(initialValue: SessionModel(client: client))
    }

    var body: some Scene {
        WindowGroup {
            switch session.state {
            // Locked, not signed out: neither home nor login.
            case .unknown: ProgressView()
            case .signedOut(let reason): LoginView(client: client, reason: reason)
            case .signedIn(let profile): HomeView(client: client, profile: profile)
            }
        }
        .onChange(of: phase) { _, phase in
            if phase == .active { Task { await session.look() } }
        }
    }
}
