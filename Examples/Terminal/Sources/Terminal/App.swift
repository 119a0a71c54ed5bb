import Foundation
import PreludeSession

/// The commands of the app. Each makes a few calls of the SDK.
struct App: Sendable {
    let client: PreludeSessionClient
    /// The origin of the app's own backend.
    let backend: String
    let console: Console

    /// Runs one command. The client revokes ended sessions in the background, and this process ends soon: so it waits, but not
    /// for long.
    func run(_ arguments: [String]) async throws {
        do {
            try await runCommand(arguments)
        } catch {
            await client.revokeEndedSessions()
            throw error
        }
        await client.revokeEndedSessions()
    }

    private func runCommand(_ arguments: [String]) async throws {
        switch (arguments.first, arguments.dropFirst().first, arguments.dropFirst(2).first) {
        case ("login", let email?, nil): try await login(email: email)
        case ("whoami", nil, nil): try await whoAmI()
        case ("sessions", nil, nil): try await sessions()
        case ("call", let method?, let path?): try await call(method: method, path: path)
        case ("logout", nil, nil): try await logout()
        default: throw Usage()
        }
    }

    /// Signs in with a code by e-mail. The session is stored in the standard store, where the next run finds it.
    func login(email: String) async throws {
        let login = StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: email))
        do {
            try await client.startOTPLogin(login)
        } catch PreludeSessionError.badRequest {
            throw InvalidAddress()
        }
        while true {
            let code = try await console.ask("Code, or nothing for another one:")
            do {
                if code.isEmpty {
                    try await sendAnotherCode(of: login)
                    console.say("Another code was sent.")
                } else {
                    let user = try await client.checkOTP(code)
                    return console.say("Signed in as \(user.userID).")
                }
            } catch {
                // The login continues with the next code.
                console.say(try messageBeforeNextCode(for: error))
            }
        }
    }

    private func sendAnotherCode(of login: StartOTPLoginOptions) async throws {
        do {
            try await client.resendOTP()
        } catch let error as PreludeSessionError where error.needsNewCode {
            // The login has ended, for example ten minutes after its last code.
            try await client.startOTPLogin(login)
        }
    }

    /// Prints the id of the signed-in user. Works offline.
    func whoAmI() async throws {
        // Without a user ID, the user is not signed in or the store cannot be read. The refresh throws the right error.
        let profile = if let stored = await client.profile { stored } else { try await client.refresh().profile }
        console.say(profile.userID ?? "unknown")
    }

    /// Prints the sessions of the user.
    func sessions() async throws {
        let own = await client.sessionID
        for session in try await client.listSessions().sessions {
            let mark = session.id == own ? "*" : " "
            console.say("\(mark) \(session.id) \(session.osVersion), last seen \(session.lastSeenAt)")
        }
    }

    /// Signs out at once on this device. The service revokes the session now or, if offline, at a later run.
    func logout() async throws {
        try await client.logout()
        console.say("Signed out.")
    }
}

/// The service cannot send codes to this address.
struct InvalidAddress: Error {}

/// The usage of the app.
struct Usage: Error, CustomStringConvertible {
    let description = """
        usage: Terminal login EMAIL | whoami | sessions | call METHOD PATH | logout
        EXAMPLE_SERVICE is the session service (http://localhost:8080), EXAMPLE_BACKEND your backend (http://localhost:8081).
        EXAMPLE_LOG=1 shows on standard error what the SDK does.
        """
}
