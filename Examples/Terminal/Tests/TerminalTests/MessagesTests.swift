import Foundation
import PreludeSession
import PreludeSessionTesting
import Testing

@testable import Terminal

@Suite("Messages of the app")
struct MessagesTests {
    let service: TestService
    private let console = Console(ask: { _ in throw EndOfInput() }, say: { _ in })

    init() async throws { service = try await TestService() }

    /// The message for a command that fails; `nil` for success.
    private func complaint(about command: String, client: PreludeSessionClient) async -> String? {
        let app = App(client: client, backend: "https://backend.example.com", console: console)
        do {
            try await app.run(command.split(separator: " ").map(String.init))
            return nil
        } catch {
            return message(for: error)
        }
    }

    @Test("Without a session the message tells the user to sign in")
    func signedOut() async throws {
        #expect(
            await complaint(about: "whoami", client: try service.client())
                == "You are not signed in. Sign in with: Terminal login EMAIL")
    }

    @Test("A damaged record is reported with the way to recover")
    func damaged() async throws {
        let store = PreludeInMemoryCredentialStore()
        let client = try service.client(store: store)
        let identifier = PreludeIdentifier(type: .emailAddress, value: "ada@example.com")
        try await client.startOTPLogin(StartOTPLoginOptions(identifier: identifier))
        _ = try await client.checkOTP(try service.code(for: "ada@example.com"))
        await store.write(Data("{".utf8), to: "session.test.session")
        #expect(
            await complaint(about: "sessions", client: try service.client(store: store))?.contains("sign in again")
                == true)
    }

    @Test(
        "On a locked device the message does not tell the user to sign in",
        arguments: ["whoami", "sessions", "logout"])
    func locked(command: String) async throws {
        let store = FaultyCredentialStore()
        _ = try await service.signedIn(store: store)
        store.lock()
        let said = try #require(await complaint(about: command, client: try service.client(store: store)))
        #expect(said.hasPrefix("The session cannot be read or stored: ") && !said.contains("Sign in"), "\(said)")
    }

    @Test("Without a network the message does not claim that the user is signed in")
    func offline() async throws {
        service.faults.isOffline = true
        #expect(
            await complaint(about: "login ada@example.com", client: try service.client())
                == "The service does not answer. Try again later. You stay signed in if you were signed in.")
    }

    @Test("After too many attempts the message tells how long to wait")
    func tooManyTries() async throws {
        let client = try service.client()
        var complaints: [String?] = []
        // The service limits codes to one address. Each run ends when the app asks for a code, because there is no input.
        for _ in 1...20 {
            complaints.append(await complaint(about: "login ada@example.com", client: client))
            if complaints.last != "The input has ended." { break }
        }
        let last = try #require(complaints.last ?? nil)
        let seconds = last.split(separator: " ").compactMap { Int($0) }.first ?? 0
        #expect(seconds > 0 && last == "Too many tries. Try again in \(seconds) seconds.", "\(last)")
    }

    @Test("Without a waiting time the message tells the user to try again later")
    func tooManyTriesForSomeTime() async throws {
        service.faults.inject(.answer(429), on: .sendOTP)
        #expect(
            await complaint(about: "login ada@example.com", client: try service.client())
                == "Too many tries. Try again later.")
    }

    @Test("An address that cannot receive codes is reported as the cause")
    func refusedAddress() async throws {
        #expect(
            await complaint(about: "login ada@nowhere@example", client: try service.client())
                == "No code can be sent to this address. Check the address.")
    }

    @Test("An invalid setting is reported with the reason")
    func settings() throws {
        let error = #expect(throws: PreludeSessionError.self) {
            _ = try Main.client(settings: ["EXAMPLE_SERVICE": "http://session.example.com"])
        }
        let said = message(for: try #require(error))
        #expect(said.hasPrefix("A setting is invalid: ") && said.contains("https://"), "\(said)")
    }

    @Test("Other errors are not shown, and the message tells how to turn on the log")
    func others() {
        let said = message(for: PreludeSessionError.badRequest("limit must be 1 to 100"))
        #expect(!said.contains("limit") && said.contains("EXAMPLE_LOG=1"))
    }

    @Test("The log has a line for a failure of the store")
    func log() async throws {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        let store = FaultyCredentialStore()
        store.lock()
        var configuration = PreludeSessionClient.Configuration()
        configuration.credentialStore = store
        configuration.logHandler = Log(write: { continuation.yield($0) })
        let client = try PreludeSessionClient(configuration: configuration)
        _ = await complaint(about: "whoami", client: client)
        continuation.finish()
        let written = await lines.reduce(into: []) { $0.append($1) }
        #expect(written.contains { $0.hasPrefix("warning: ") }, "\(written)")
    }
}
