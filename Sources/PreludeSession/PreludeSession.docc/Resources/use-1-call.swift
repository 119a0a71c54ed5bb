import PreludeSession
import SwiftUI

struct NotesView: View {
    let client: PreludeSessionClient
    @State private var notes = ""

    var body: some View {
        Text(notes)
            .task { try? await load() }
    }

    private func load() async throws {
        guard let url = URL(string: "http://localhost:9000/notes") else { return }
        let (data, response) = try await client.data(for: URLRequest(url: url))
        if response.statusCode == 200 { notes = String(decoding: data, as: UTF8.self) }
    }
}
