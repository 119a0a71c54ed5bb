import PreludeSession
import SwiftUI

struct NotesView: View {
    let client: PreludeSessionClient
    @State private var balance = ""

    var body: some View {
        Text(balance)
            .task { try? await load() }
    }

    private func load() async throws {
        guard let url = URL(string: "http://localhost:8081/accounts/balance") else { return }
        let (data, response) = try await client.data(from: url)
        if response.statusCode == 200 { balance = String(decoding: data, as: UTF8.self) }
    }
}
