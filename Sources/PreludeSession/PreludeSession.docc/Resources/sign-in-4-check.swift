import PreludeSession
import SwiftUI

struct LoginView: View {
    let client: PreludeSessionClient
    @State private var email = ""
    @State private var code = ""
    @State private var isCodeSent = false

    var body: some View {
        VStack {
            if isCodeSent {
                TextField("Code", text: $code).textContentType(.oneTimeCode)
                Button("Sign in") { Task { _ = try await client.checkOTP(code) } }
            } else {
                TextField("E-mail address", text: $email)
                Button("Send a code") { Task { try await sendCode() } }
            }
        }
    }

    private func sendCode() async throws {
        let identifier = PreludeIdentifier(type: .emailAddress, value: email)
        try await client.startOTPLogin(StartOTPLoginOptions(identifier: identifier))
        isCodeSent = true
    }
}
