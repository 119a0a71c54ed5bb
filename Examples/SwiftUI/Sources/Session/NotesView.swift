import Foundation
import PreludeSession
import SwiftUI

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One note of the user, as the example Backend returns it.
struct Note: Decodable {
    let id: Int
    let text: String
}

/// Shows the user's notes, which the app's own backend keeps. Offline it shows those that it has.
struct NotesView: View {
    let client: PreludeSessionClient

    @State private var attempt = Attempt()
    @State private var notes: [Note] = []

    var body: some View {
        VStack(alignment: .leading, spacing: 8) {
            if attempt.isOffline { Text("You are offline. This may be out of date.").foregroundStyle(.secondary) }
            ForEach(notes, id: \.id) { note in Text(note.text) }
            if let message = attempt.message { Text(message).foregroundStyle(.red) }
        }
        .task { await attempt(load) }
    }

    private func load() async throws {
        guard let url = URL(string: "http://localhost:8081/notes") else { return }
        let (data, response) = try await client.data(from: url)
        guard response.statusCode == 200 else { throw BackendFailed(status: response.statusCode) }
        notes = try JSONDecoder().decode([Note].self, from: data)
    }
}

/// The app's backend did not return what the app asked for.
struct BackendFailed: Error { let status: Int }
