import PreludeSession
import SwiftUI

/// Changes the password: does a step-up to the scope that allows it, then changes the password.
struct PasswordView: View {
    let client: PreludeSessionClient

    @State private var attempt = Attempt()
    @State private var challenge: StepUpChallenge?
    @State private var code = ""
    @State private var password = ""
    @State private var isAllowed = false

    var body: some View {
        VStack(spacing: 12) {
            if isAllowed {
                SecureField("New password", text: $password)
                Button("Change") { Task { await attempt(change) } }
            } else if let challenge {
                TextField("Code", text: $code)
                Button("Confirm") { Task { await attempt { try await confirm(challenge) } } }
            } else {
                Button("Change the password") { Task { await attempt(begin) } }
            }
            if let message = attempt.message { Text(message).foregroundStyle(.red) }
        }
    }

    private func begin() async throws {
        let challenge = try await client.requestStepUp(scope: "prld:pwd:write")
        guard challenge.status != .blocked else { throw PreludeSessionError.forbidden(challenge.requestedScope) }
        try await go(on: challenge)
    }

    private func confirm(_ challenge: StepUpChallenge) async throws {
        try await go(on: try await client.submitStepUpOTP(challenge, code: code))
    }

    /// Sends the code of the next step. If no step is left, the scope is granted.
    private func go(on next: StepUpChallenge?) async throws {
        code = ""
        challenge = next?.isCompleted == true ? nil : next
        isAllowed = challenge == nil
        if let challenge { try await client.sendStepUpOTP(challenge) }
    }

    private func change() async throws {
        let verdict = try await client.validatePassword(password)
        guard verdict.valid else { throw PreludeSessionError.invalidPassword("") }
        try await client.changePassword(RedactedString(password))
        (password, isAllowed) = ("", false)
    }
}
