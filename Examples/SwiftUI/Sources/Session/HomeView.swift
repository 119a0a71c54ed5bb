import PreludeSession
import SwiftUI

/// Who is signed in, offline as well, and what they can do.
struct HomeView: View {
    let client: PreludeSessionClient
    let profile: PreludeProfile

    @State private var attempt = Attempt()

    var body: some View {
        VStack(spacing: 12) {
            Text("Signed in as \(profile.userID ?? "somebody")").font(.headline)
            if attempt.isOffline { Text("Offline: this may be old.").foregroundStyle(.secondary) }
            SessionsView(client: client)
            PasswordView(client: client)
            Button("Sign out") { Task { await attempt(client.logout) } }
            if let message = attempt.message { Text(message).foregroundStyle(.red) }
        }
        .padding()
        .task { await attempt { try await client.refresh() } }
    }
}
