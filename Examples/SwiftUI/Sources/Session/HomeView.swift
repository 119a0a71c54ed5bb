import PreludeSession
import PreludeSessionUI
import SwiftUI

/// Shows the signed-in user, also offline, and the actions.
struct HomeView: View {
    let client: PreludeSessionClient
    let profile: PreludeProfile

    @State private var attempt = Attempt()
    @State private var isChangingPassword = false

    var body: some View {
        VStack(spacing: 12) {
            Text("Signed in as \(profile.userID ?? "an unknown user")").font(.headline)
            NotesView(client: client)
            SessionListView(client: client)
            Button("Change the password") { isChangingPassword = true }
            Button("Sign out") { Task { await attempt(client.logout) } }
            if let message = attempt.message { Text(message).foregroundStyle(.red) }
        }
        .padding()
        .sheet(isPresented: $isChangingPassword) {
            NewPasswordView(client: client) { isChangingPassword = false }.padding()
        }
    }
}
