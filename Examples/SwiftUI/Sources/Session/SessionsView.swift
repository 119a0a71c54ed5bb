import PreludeSession
import SwiftUI

/// Lists the sessions of the user and ends the others.
struct SessionsView: View {
    let client: PreludeSessionClient

    @State private var attempt = Attempt()
    @State private var sessions: [PreludeSessionView] = []

    var body: some View {
        VStack {
            ForEach(sessions, id: \.id) { session in
                HStack {
                    Text("\(session.deviceModel) \(session.osVersion)")
                    Button("End") { Task { await end(session) } }
                }
            }
            Button("End all other sessions") { Task { await endOthers() } }
            if let message = attempt.message { Text(message).foregroundStyle(.red) }
        }
        .task { await attempt(load) }
    }

    private func load() async throws { sessions = try await client.listSessions().sessions }

    private func end(_ session: PreludeSessionView) async {
        await attempt {
            try await client.revokeSessions(.session(id: session.id))
            sessions.removeAll { $0.id == session.id }
        }
    }

    private func endOthers() async {
        await attempt {
            try await client.revokeSessions(.others)
            try await load()
        }
    }
}
