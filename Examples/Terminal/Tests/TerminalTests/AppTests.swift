import PreludeSession
import PreludeSessionTesting
import Testing

@testable import Terminal

/// A user who types these texts.
private actor User {
    private var texts: [String]
    init(texts: [String]) { self.texts = texts }
    func next() -> String? { texts.isEmpty ? nil : texts.removeFirst() }
}

@Suite("The app")
struct AppTests {
    let service: TestService

    init() async throws {
        service = try await TestService()
        service.serveBackend { request in
            guard request.httpMethod == "POST" else { return TestService.BackendAnswer(json: #"{"balance": 12}"#) }
            let token = request.value(forHTTPHeaderField: "Authorization")?.split(separator: " ").last ?? ""
            guard scopes(of: String(token)).contains("transfer:write") else {
                let challenge = #"Bearer error="insufficient_user_authentication", scope="transfer:write""#
                return TestService.BackendAnswer(status: 401, headers: ["WWW-Authenticate": challenge])
            }
            return TestService.BackendAnswer(status: 201)
        }
    }

    /// The output of commands while the user types these texts, and then the codes that were sent.
    private func lines(
        of commands: [String], client: PreludeSessionClient? = nil, typing texts: [String] = []
    ) async throws -> [String] {
        let (said, continuation) = AsyncStream.makeStream(of: String.self)
        let user = User(texts: texts)
        let console = Console(
            ask: { [service] _ in
                guard let text = await user.next() else { return try service.code(for: "ada@example.com") }
                // The user waits for some seconds, and enters nothing.
                guard text.hasPrefix("wait "), let seconds = Int(text.dropFirst(5)) else { return text }
                service.clock.advance(by: .seconds(seconds))
                return ""
            },
            say: { continuation.yield($0) })
        let app = App(
            client: try client ?? service.client(), backend: "https://backend.example.com", console: console)
        defer { continuation.finish() }
        for command in commands { try await app.run(command.split(separator: " ").map(String.init)) }
        continuation.finish()
        return await said.reduce(into: []) { $0.append($1) }
    }

    @Test("A user signs in with the code that was sent, and signs out")
    func login() async throws {
        let client = try service.client()
        let lines = try await lines(of: ["login ada@example.com", "whoami", "logout"], client: client)
        #expect(lines.count == 3)
        #expect(lines[0] == "Signed in as \(lines[1]).")
        #expect(lines[2] == "Signed out.")
        #expect(await client.profile == nil)
    }

    @Test("The app asks again after a wrong code")
    func wrongCode() async throws {
        let lines = try await lines(of: ["login ada@example.com"], typing: ["no code"])
        #expect(lines.first == "The code is wrong. Try again.")
        #expect(lines.count == 2)
    }

    @Test("After the last check of a code the app asks for another code, and the user signs in with it")
    func usedUpCode() async throws {
        let wrong = Array(repeating: "1234567", count: 5)
        let lines = try await lines(of: ["login ada@example.com"], typing: wrong + ["wait 30"])
        #expect(lines.dropLast(3) == Array(repeating: "The code is wrong. Try again.", count: 4)[...])
        #expect(
            lines.suffix(3).dropLast() == [
                "No code that was sent can be used any more. Enter nothing for another one.",
                "Another code was sent.",
            ])
        #expect(lines.last?.hasPrefix("Signed in as usr_") == true)
    }

    @Test("A user who asks for another code too early learns how long to wait, and can still enter the first one")
    func impatience() async throws {
        let lines = try await lines(of: ["login ada@example.com"], typing: [""])
        #expect(lines.first == "Too many tries. Try again in 30 seconds.")
        #expect(lines.last?.hasPrefix("Signed in as usr_") == true)
    }

    @Test("A login that has ended starts again when the user asks for another code")
    func endedLogin() async throws {
        let lines = try await lines(of: ["login ada@example.com"], typing: ["wait 601"])
        #expect(lines.first == "Another code was sent.")
        #expect(lines.last?.hasPrefix("Signed in as usr_") == true)
    }

    @Test("The app calls the backend after its access token has expired")
    func call() async throws {
        let client = try await service.signedIn()
        service.clock.advance(by: .seconds(301))
        #expect(try await lines(of: ["call GET /balance"], client: client) == [#"200 {"balance": 12}"#])
    }

    @Test("The app steps up when the backend requires it")
    func stepUp() async throws {
        try await service.allow(scope: "transfer:write")
        let client = try await service.signedIn()
        #expect(try await lines(of: ["call POST /transfers"], client: client) == ["201 "])
    }

    @Test("The app reports a step-up that the service denies")
    func denied() async throws {
        try await service.deny(scope: "transfer:write")
        let client = try await service.signedIn()
        let error = await #expect(throws: PreludeSessionError.self) {
            try await lines(of: ["call POST /transfers"], client: client)
        }
        #expect(error.map(message) == "You are not allowed to do that.")
    }

    @Test("After a wrong code the app asks again, and sends another code when the user enters nothing")
    func typo() async throws {
        try await service.allow(scope: "transfer:write")
        let client = try await service.signedIn()
        service.clock.advance(by: .seconds(30))
        let lines = try await lines(of: ["call POST /transfers"], client: client, typing: ["no code", ""])
        #expect(
            lines == [
                "That code is not correct. Check it and try again.", "Too many attempts. Try again in 30 seconds.",
                "201 ",
            ])
    }

    @Test("The app lists the sessions and marks its own session")
    func sessions() async throws {
        _ = try await service.signedIn()
        let client = try await service.signedIn()
        let lines = try await lines(of: ["sessions"], client: client)
        #expect(lines.count == 2)
        #expect(lines.filter { $0.hasPrefix("* ") }.count == 1)
    }

    @Test("The app stays signed in without a network")
    func offline() async throws {
        let client = try await service.signedIn()
        service.clock.advance(by: .seconds(301))
        service.faults.isOffline = true
        await #expect(throws: PreludeSessionError.self) {
            _ = try await lines(of: ["call GET /balance"], client: client)
        }
        #expect(try await lines(of: ["whoami"], client: client).count == 1)
    }

    @Test("An unknown or incomplete command prints the usage", arguments: ["", "login", "call GET", "fly"])
    func usage(command: String) async throws {
        await #expect(throws: Usage.self) { _ = try await lines(of: [command]) }
    }
}
