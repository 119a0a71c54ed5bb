import PreludeSession
import SwiftUI

struct LoginView: View {
    let client: PreludeSessionClient
    @State private var email = ""
    @State private var code = ""
    @State private var isCodeSent = false
    @State private var message = ""

    var body: some View {
        VStack {
            if isCodeSent {
                TextField("Code", text: $code).textContentType(.oneTimeCode)
                Button("Sign in") { Task { await attempt { _ = try await client.checkOTP(code) } } }
                Button("Send another code") { Task { await attempt { try await client.resendOTP() } } }
                Button("Start again") { isCodeSent = false }
            } else {
                TextField("E-mail address", text: $email)
                Button("Send a code") { Task { await attempt(sendCode) } }
            }
            Text(message)
        }
    }

    private func sendCode() async throws {
        let identifier = PreludeIdentifier(type: .emailAddress, value: email)
        try await client.startOTPLogin(StartOTPLoginOptions(identifier: identifier))
        isCodeSent = true
    }

    private func attempt(_ work: () async throws -> Void) async {
        message = ""
        do {
            try await work()
        } catch {
            message = words(for: error)
        }
    }
}
