import PreludeSession
import SwiftUI

/// Signs in with a code or a password. After that, the session's model changes and the app shows another view.
struct LoginView: View {
    let client: PreludeSessionClient
    let reason: SignOutReason?

    @State private var attempt = Attempt()
    @State private var email = ""
    @State private var code = ""
    @State private var password = ""
    @State private var isCodeSent = false

    var body: some View {
        VStack(spacing: 12) {
            if reason == .ended { Text("Your session was ended. Sign in again.") }
            TextField("E-mail address", text: $email)
            if isCodeSent {
                TextField("Code", text: $code)
                Button("Sign in") { Task { await attempt(unauthorized: Self.loginExpired, checkCode) } }
                Button("Send another code") { Task { await attempt(unauthorized: Self.loginExpired, resendCode) } }
            } else {
                Button("Send a code") { Task { await attempt(sendCode) } }
            }
            SecureField("Password", text: $password)
            Button("Sign in with the password") {
                Task { await attempt(unauthorized: Self.wrongPassword, checkPassword) }
            }
            if let message = attempt.message { Text(message).foregroundStyle(.red) }
        }
        .textFieldStyle(.roundedBorder)
        .padding()
    }

    private static let loginExpired = "The login has expired. Send a new code."
    private static let wrongPassword = "The address or the password is wrong."

    private func sendCode() async throws {
        let identifier = PreludeIdentifier(type: .emailAddress, value: email)
        try await client.startOTPLogin(StartOTPLoginOptions(identifier: identifier))
        isCodeSent = true
    }

    private func checkCode() async throws { try await goOn { _ = try await client.checkOTP(code) } }

    private func resendCode() async throws { try await goOn(client.resendOTP) }

    /// Continues the login that waits for its code. If the login no longer exists, a new code must be sent first.
    private func goOn(_ work: () async throws -> Void) async throws {
        do {
            try await work()
        } catch PreludeSessionError.unauthorized, PreludeSessionError.badRequest {
            isCodeSent = false
            throw PreludeSessionError.unauthorized("")
        }
    }

    private func checkPassword() async throws {
        _ = try await client.loginWithPassword(LoginWithPasswordOptions(emailAddress: email, password: password))
    }
}
