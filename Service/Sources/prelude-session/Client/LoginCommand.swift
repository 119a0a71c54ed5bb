import ArgumentParser
import Foundation
@_spi(Service) import PreludeSession

/// `prelude-session login`: signs in with a code or a password.
struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Sign in with a code or a password.")

    @Option(help: "Sign in with this e-mail address.") var email: String?
    @Option(help: "Sign in with this phone number, in E.164 form.") var phone: String?
    @Flag(help: "Use a password, read from standard input, instead of a code.") var password = false
    @OptionGroup var options: ClientOptions

    func validate() throws {
        guard (email == nil) != (phone == nil) else { throw ValidationError("Give either --email or --phone.") }
        guard !password || email != nil else { throw ValidationError("--password needs --email.") }
    }

    func run() async throws {
        try await options.run { client in
            let user: PreludeUser
            if password, let email {
                let secret = try PasswordInput.read(prompt: "Password: ")
                user = try await client.loginWithPassword(
                    LoginWithPasswordOptions(emailAddress: email, password: secret))
            } else {
                user = try await logInWithCode(client)
            }
            try options.printUser(user, as: "Signed in as")
        }
    }

    private func logInWithCode(_ client: PreludeSessionClient) async throws -> PreludeUser {
        let identifier =
            email.map { PreludeIdentifier(type: .emailAddress, value: $0) }
            ?? PreludeIdentifier(type: .phoneNumber, value: phone ?? "")
        try await client.startOTPLogin(StartOTPLoginOptions(identifier: identifier))
        Prompt.say("A code was sent to \(identifier.value).")
        while true {
            let code = try Prompt.line("code")
            do {
                return try await client.checkOTP(code)
            } catch let error as PreludeSessionError where error.needsNewCode {
                try await CodeResend(client: client).send { try await client.resendOTP() }
                Prompt.say("This code can no longer be used. Another one was sent to \(identifier.value).")
            } catch PreludeSessionError.invalidOTPCode {
                Prompt.say("The code is wrong. Enter it again.")
            }
        }
    }
}

/// Sends another code. If the service asks for a pause first, it waits and tries once more.
struct CodeResend {
    /// The longest pause, in seconds. The service sends two codes at least 30 seconds apart.
    private static let longestPause: TimeInterval = 60

    let client: PreludeSessionClient

    /// - Throws: The error of `request`. A pause that is longer, or has no length, is `.rateLimited`.
    func send(_ request: () async throws -> Void) async throws {
        do {
            try await request()
        } catch let error as PreludeSessionError {
            try await pause(after: error)
            try await request()
        }
    }

    /// Waits as long as the service asks for.
    ///
    /// - Throws: The error, if it asks for no pause or for a longer one.
    func pause(after error: PreludeSessionError) async throws {
        guard case .rateLimited = error, let pause = error.retryAfter, pause <= Self.longestPause else { throw error }
        Prompt.say("Another code can be sent in \(Int(pause)) seconds. Waiting.")
        try await client.environment.sleep(pause)
    }
}
