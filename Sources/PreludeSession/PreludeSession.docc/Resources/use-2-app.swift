import PreludeSession
import SwiftUI

@main
struct NotesApp: App {
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
            case .unknown, .locked: Color.clear
            case .signedOut, .failed: LoginView(client: client)
            case .signedIn: NotesView(client: client)
            }
        }
        .onChange(of: phase) { _, phase in
            if phase == .active { Task { await session.reload() } }
        }
    }
}
