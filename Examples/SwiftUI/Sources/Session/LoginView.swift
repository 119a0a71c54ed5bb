import PreludeSession
import PreludeSessionUI
import SwiftUI

/// Signs in with a code or a password. After that, the session's model changes and the app shows another view.
struct LoginView: View {
    let client: PreludeSessionClient
    let reason: PreludeSignOutReason?

    @State private var attempt = Attempt()
    @State private var email = ""
    @State private var password = ""
    @State private var isCodeSent = false

    var body: some View {
        VStack(spacing: 12) {
            if reason == .ended { Text("Your session was ended. Sign in again.") }
            if reason == .suspended { Text("Your account is suspended. Contact our support.") }
            if isCodeSent {
                CodeEntryView(client: client, sentTo: email, onRestart: { isCodeSent = false })
            } else {
                TextField("E-mail address", text: $email)
                Button("Send a code") { Task { await attempt(sendCode) } }
                SecureField("Password", text: $password)
                Button("Sign in with the password") {
                    Task { await attempt(unauthorized: Self.wrongPassword, checkPassword) }
                }
            }
            if let message = attempt.message { Text(message).foregroundStyle(.red) }
        }
        .textFieldStyle(.roundedBorder)
        .padding()
        .task { await continueLogin() }
    }

    private static let wrongPassword = "The address or the password is wrong."

    /// Shows the entry of the code again, if the app ended while the user fetched the code.
    private func continueLogin() async {
        guard let login = await client.pendingLogin else { return }
        email = login.identifier.value
        isCodeSent = true
    }

    private func sendCode() async throws {
        let identifier = PreludeIdentifier(type: .emailAddress, value: email)
        try await client.startOTPLogin(StartOTPLoginOptions(identifier: identifier))
        isCodeSent = true
    }

    private func checkPassword() async throws {
        _ = try await client.loginWithPassword(LoginWithPasswordOptions(emailAddress: email, password: password))
    }
}
