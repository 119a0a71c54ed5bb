import Foundation
import PreludeSession
import PreludeSessionUI
import SwiftUI

struct TransferButton: View {
    @StateObject private var stepUps: StepUpPresenter
    @State private var message = ""

    init(client: PreludeSessionClient) {
        _stepUps = StateObject(wrappedValue: StepUpPresenter(client: client))
    }

    var body: some View {
        VStack {
            Button("Transfer") { Task { await transfer() } }
            Text(message)
        }
        .stepUpSheet(stepUps)
    }

    private func transfer() async {
        guard let url = URL(string: "http://localhost:8081/accounts/transfers") else { return }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        do {
            let (_, response) = try await stepUps.data(for: request)
            message = response.statusCode == 202 ? "Done." : "The bank said no."
        } catch is CancellationError {
            message = ""
        } catch {
            message = words(for: error)
        }
    }
}
