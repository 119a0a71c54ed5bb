import PreludeSession
import SwiftUI

/// Makes the only client, and shows a view for the state of its session.
@main
struct SessionApp: App {
    private let client: PreludeSessionClient
    @State private var session: SessionModel
    @Environment(\.scenePhase) private var phase

    init() {
        do {
            client = try PreludeSessionClient()
        } catch {
            preconditionFailure("The settings of the client are invalid: \(error)")
        }
        _session = State(initialValue: SessionModel(client: client))
    }

    var body: some Scene {
        WindowGroup {
            switch session.state {
            // The device is locked. The user is still signed in: show no login screen.
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
