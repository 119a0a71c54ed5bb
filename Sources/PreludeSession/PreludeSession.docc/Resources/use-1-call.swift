import PreludeSession
import SwiftUI

struct Note: Decodable {
    let id: Int
    let text: String
}

struct NotesView: View {
    let client: PreludeSessionClient
    @State private var notes: [Note] = []

    var body: some View {
        List(notes, id: \.id) { note in Text(note.text) }
            .task { try? await load() }
    }

    private func load() async throws {
        guard let url = URL(string: "http://localhost:8081/notes") else { return }
        let (data, response) = try await client.data(from: url)
        if response.statusCode == 200 { notes = try JSONDecoder().decode([Note].self, from: data) }
    }
}
