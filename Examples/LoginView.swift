// Sign in with a code by e-mail, and stay signed in: a whole app's worth of the SDK.

import PreludeSession
import SwiftUI

@MainActor
final class LoginModel: ObservableObject {
    enum Stage { case starting, email, code, signedIn }

    @Published var stage = Stage.starting
    @Published var userID = ""
    @Published var message: String?

    private let client: PreludeSessionClient

    init(client: PreludeSessionClient) { self.client = client }

    /// At launch: whoever was signed in still is, with or without a network.
    func start() async {
        do {
            show(try await client.refresh().profile)
        } catch PreludeSessionError.unauthorized, PreludeSessionError.deviceKeyLost {
            stage = .email
        } catch {
            // No network, or a locked device: the session is kept, so this is no reason to ask for a login.
            message = error.localizedDescription
            if let profile = await client.profile { show(profile) }
        }
    }

    func sendCode(to email: String) async {
        await attempt {
            let identifier = PreludeIdentifier(type: .emailAddress, value: email)
            try await client.startOTPLogin(StartOTPLoginOptions(identifier: identifier))
            stage = .code
        }
    }

    func check(_ code: String) async {
        await attempt { show(try await client.checkOTP(code).profile) }
    }

    func signOut() async {
        await attempt {
            try await client.logout()
            stage = .email
        }
    }

    private func show(_ profile: PreludeProfile) {
        userID = profile.userID ?? ""
        stage = .signedIn
    }

    private func attempt(_ work: () async throws -> Void) async {
        message = nil
        do {
            try await work()
        } catch PreludeSessionError.invalidOTPCode {
            message = "That is not the code. Try again."
        } catch {
            message = error.localizedDescription
        }
    }
}

struct LoginView: View {
    @StateObject private var model: LoginModel
    @State private var email = ""
    @State private var code = ""

    init(client: PreludeSessionClient) {
        _model = StateObject(wrappedValue: LoginModel(client: client))
    }

    var body: some View {
        VStack(spacing: 12) {
            switch model.stage {
            case .starting:
                ProgressView()
                Button("Try again") { Task { await model.start() } }
            case .email:
                TextField("E-mail address", text: $email)
                Button("Send a code") { Task { await model.sendCode(to: email) } }
            case .code:
                TextField("Code", text: $code)
                Button("Sign in") { Task { await model.check(code) } }
            case .signedIn:
                Text("Signed in as \(model.userID)")
                Button("Sign out") { Task { await model.signOut() } }
            }
            if let message = model.message { Text(message).foregroundStyle(.red) }
        }
        .textFieldStyle(.roundedBorder)
        .padding()
        .task { await model.start() }
    }
}
