import PreludeSession
import PreludeSessionTesting
import SessionDomain
import SessionHTTP
import SessionTokens
import SessionWire
import Testing

@Suite("Delivery of codes", .eachStore)
struct DeliveryStory {
    private static let email = "ada@example.com"

    /// Where the process is killed between the commit of a code and its delivery. `MessageOutboxTests` has the points from
    /// the attempt on.
    enum Kill: CaseIterable {
        case afterCommit, afterClaim
    }

    /// Asks for a code, with a process that ends before its worker does anything. Returns the verification token.
    private func ask(
        _ world: ServiceWorld, for email: String = Self.email, from address: String = "192.0.2.1"
    ) async throws -> String {
        let app = try await world.service.directory.app(world.appID)
        return try await world.service.otpLogin.start(
            app: app, identifier: try CanonicalIdentifier(type: "email_address", value: email),
            loginConfigID: nil, codeChallenge: nil, client: ClientFacts(locales: ["fr-CA"]),
            source: SourceAddress(ip: address))
    }

    private func claim(_ world: ServiceWorld) async throws -> QueuedMessage? {
        let now = world.clock.timestamp
        return try await world.service.store.perform(
            ClaimMessage(
                in: MessageQueue(appID: world.appID, channel: .email, route: 0), now: now, leaseEnd: now + 45))
    }

    private func check(_ token: String, _ world: ServiceWorld) async throws -> Int {
        let code = try world.code(for: Self.email)
        return try await world.call(
            FrontendPath.otpCheck.rawValue, json: #"{"code":"\#(code)"}"#,
            headers: [HeaderName.verificationToken: token]
        ).status
    }

    private func events(_ world: ServiceWorld, _ names: Event.Name...) async throws -> [Event] {
        try await world.service.store.events(app: world.appID, limit: 1000, offset: 0)
            .filter { names.contains($0.name) }
    }

    // Proves: M1
    @Test("A process that is killed between commit and delivery delivers after its restart", arguments: Kill.allCases)
    func killed(kill: Kill) async throws {
        let world = try await ServiceWorld()
        let token = try await ask(world)
        #expect(world.mailbox.messages.isEmpty)
        if kill == .afterClaim {
            #expect(try await claim(world)?.content.locales == ["fr-CA"])
            try await world.node { _ in }.service.messages.deliverDue()
            #expect(world.mailbox.messages.isEmpty, "the lease of the killed process still holds")
            world.clock.advance(seconds: 45)
        }
        try await world.node { _ in }.service.messages.deliverDue()
        #expect(world.mailbox.messages.map(\.to) == [Self.email])
        #expect(try await events(world, .codeSent).count == 1)
        try await world.node { _ in }.service.messages.deliverDue()
        #expect(world.mailbox.messages.count == 1)
        #expect(try await check(token, world) == 200)
    }

    // Proves: M1
    @Test("A code whose life has ended before the restart is never sent, and is reported", arguments: Kill.allCases)
    func expired(kill: Kill) async throws {
        let world = try await ServiceWorld()
        _ = try await ask(world)
        if kill != .afterCommit { _ = try await claim(world) }
        world.clock.advance(seconds: 600)
        try await world.node { _ in }.service.messages.deliverDue()
        #expect(world.mailbox.messages.isEmpty)
        #expect(try await events(world, .codeSent, .codeFailed).map(\.name) == [.codeFailed])
    }

    @Test("A start that is limited returns the place that it has taken for its message", .timeLimit(.minutes(5)))
    func limited() async throws {
        let world = try await ServiceWorld().node { $0.sleep = ServiceEnvironment.live.sleep }
        let running = Task { await world.service.messages.run() }
        // The worker takes claims once it runs.
        _ = try await ask(world, for: "first@example.com")
        while world.mailbox.messages.isEmpty { await Task.yield() }
        var limited = 0
        while limited <= MessageOutbox.width {
            do {
                _ = try await ask(world, from: "192.0.\(limited).\(world.mailbox.messages.count)")
            } catch Refusal.rateLimited {
                limited += 1
            }
        }
        await world.service.messages.settle()
        _ = try await ask(world, for: "grace@example.com")
        while !world.mailbox.messages.contains(where: { $0.to == "grace@example.com" }) { await Task.yield() }
        running.cancel()
        await running.value
    }

    @Test("The event about a code has the context of the call that asked for it")
    func context() async throws {
        let world = try await ServiceWorld()
        _ = try await world.call(
            FrontendPath.otp.rawValue,
            json: #"{"identifier":{"type":"email_address","value":"ada@example.com"}}"#,
            headers: ["user-agent": "Test/1.0"])
        let sent = try #require(try await events(world, .codeSent).first)
        #expect(sent.context.actor?.type == .client && sent.context.userAgent == "Test/1.0")
        #expect(sent.context.requestID?.hasPrefix("req_") == true)
        #expect(sent.data["route"] == "mailbox" && sent.data["identifier"] == "a***@example.com")
        #expect(world.mailbox.messages.map(\.id) == [sent.data["message_id"]?.stringValue])
    }

    @Test("A resend has the same code in the first half of its life, then a new one beside it")
    func resend() async throws {
        for chosen in [0, 1] {
            let world = try await ServiceWorld()
            let client = try world.client()
            try await client.startOTPLogin(
                StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: Self.email)))
            for seconds in [31, 269] {
                world.clock.advance(seconds: seconds)
                try await client.resendOTP()
            }
            #expect(Set(world.mailbox.messages.map(\.code)).count == 1)
            world.clock.advance(seconds: 30)
            try await client.resendOTP()
            let codes = world.mailbox.messages.prefix(2).compactMap(\.code)
            #expect(Set(world.mailbox.messages.map(\.id)).count == 4 && codes[0] != codes[1])
            _ = try await client.checkOTP(codes[chosen])
        }
    }

    // Proves: O27
    @Test("Two codes have five checks together, and after them the next code has five")
    func checks() async throws {
        let world = try await ServiceWorld()
        let client = try world.client()
        try await client.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: Self.email)))
        func wrong() async -> Bool? {
            let sent = Set(world.mailbox.messages.compactMap(\.code))
            let guess = ["000000", "000001", "000002", "000003"].first { !sent.contains($0) } ?? ""
            do {
                _ = try await client.checkOTP(guess)
                return nil
            } catch {
                return (error as? PreludeSessionError)?.needsNewCode
            }
        }
        for _ in 0..<3 { #expect(await wrong() == false) }
        world.clock.advance(seconds: 301)
        try await client.resendOTP()
        #expect(await wrong() == false)
        #expect(await wrong() == true)
        world.clock.advance(seconds: 30)
        try await client.resendOTP()
        let old = Set(world.mailbox.messages.dropFirst().compactMap(\.code))
        for code in old {
            await #expect(throws: PreludeSessionError.self) { try await client.checkOTP(code) }
        }
        _ = try await client.checkOTP(try world.code(for: Self.email))
    }
}
