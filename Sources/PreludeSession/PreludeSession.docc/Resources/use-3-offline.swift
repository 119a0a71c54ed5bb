import PreludeSession
import SwiftUI

struct Note: Decodable {
    let id: Int
    let text: String
}

struct NotesView: View {
    let client: PreludeSessionClient
    @State private var notes: [Note] = []
    @State private var message = ""

    var body: some View {
        VStack {
            List(notes, id: \.id) { note in Text(note.text) }
            Text(message)
        }
        .task { await refresh() }
    }

    private func refresh() async {
        do {
            try await load()
            message = ""
        } catch PreludeSessionError.unauthorized {
            // The session has ended. The model knows it, and the app shows the login.
        } catch is CancellationError {
            // The view has gone.
        } catch {
            message = words(for: error)
        }
    }

    private func load() async throws {
        guard let url = URL(string: "http://localhost:8081/notes") else { return }
        let (data, response) = try await client.data(from: url)
        if response.statusCode == 200 { notes = try JSONDecoder().decode([Note].self, from: data) }
    }
}
