import HTTPTypes
import PreludeSession
import PreludeSessionTesting
import SessionDomain
import SessionHTTP
import SessionTokens
import Testing

@Suite("A stranger who spends the budgets of a user", .eachStore)
struct KnownDeviceStory {
    private static let mail = "ada@example.com"

    /// A world with short budgets for failed checks.
    private func world(_ configure: (inout App) -> Void = { _ in }) async throws -> ServiceWorld {
        try await ServiceWorld { app in
            app.otpLimits.failedChecks = RateLimit(limit: 3, window: 3600)
            app.otpLimits.starts = RateLimit(limit: 3, window: 600)
            configure(&app)
        }
    }

    private func start(_ client: PreludeSessionClient) async throws {
        try await client.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: Self.mail)))
    }

    private func isLimited(_ work: () async throws -> Void) async throws -> Bool {
        do {
            try await work()
            return false
        } catch PreludeSessionError.rateLimited {
            return true
        }
    }

    /// Spends the failed checks, and then the starts, of the user's address from a device of its own.
    private func besiege(_ world: ServiceWorld) async throws {
        let stranger = try world.client()
        try await start(stranger)
        for _ in 1...3 {
            await #expect(throws: PreludeSessionError.self) { try await stranger.checkOTP("000000") }
        }
        #expect(try await isLimited { _ = try await stranger.checkOTP("000000") })
        while try await !isLimited({ try await start(stranger) }) {}
    }

    // Proves: E7
    @Test("The owner signs in on a known device, and a new device waits until the window ends (X5)")
    func knownDevice() async throws {
        let world = try await world()
        let store = PreludeInMemoryCredentialStore()
        let known = try await world.signedIn(Self.mail, store: store)
        try await known.logout()
        await known.revokeEndedSessions()
        try await besiege(world)

        let relaunched = try world.client(store: store)
        try await world.signIn(relaunched, as: Self.mail)
        #expect(try await relaunched.refresh().profile.userID?.hasPrefix("usr_") == true)

        let new = try world.client()
        #expect(try await isLimited { try await start(new) })
        world.clock.advance(seconds: 3601)
        try await world.signIn(new, as: Self.mail)
    }

    @Test("A device is known as long as the app says", arguments: [86_400, KnownDevice.longestLifetime])
    func lifetime(seconds: Int) async throws {
        let world = try await world { $0.sessions.knownDeviceLifetime = seconds }
        let store = PreludeInMemoryCredentialStore()
        let known = try await world.signedIn(Self.mail, store: store)
        try await known.logout()
        await known.revokeEndedSessions()
        world.clock.advance(seconds: 86_400)
        try await besiege(world)
        let relaunched = try world.client(store: store)
        #expect(try await isLimited { try await start(relaunched) } == (seconds == 86_400))
    }

    @Test("The owner steps up while a stranger has spent the budgets (X5)")
    func stepUp() async throws {
        let world = try await world()
        try await world.allow("transfer:write")
        let owner = try await world.signedIn(Self.mail)
        try await besiege(world)
        try await owner.stepUp("transfer:write", in: world)
        #expect(try await owner.scopes() == ["transfer:write"])
    }

    @Test("Wrong passwords of a stranger count with wrong codes, and leave the known device's password login (O17)")
    func passwords() async throws {
        let world = try await world()
        try await createUser(in: world)
        let store = PreludeInMemoryCredentialStore()
        let known = try world.client(store: store)
        try await login(known, "correct horse")
        let stranger = try world.client()
        try await start(stranger)
        await #expect(throws: PreludeSessionError.self) { try await stranger.checkOTP("000000") }
        for _ in 1...2 {
            await #expect(throws: PreludeSessionError.self) { try await login(stranger, "wrong") }
        }
        #expect(try await isLimited { try await login(stranger, "correct horse") })
        #expect(try await isLimited { _ = try await stranger.checkOTP("000000") })
        try await login(known, "correct horse")
    }

    // MARK: A success with one identifier, and the failures at another

    private static let phone = "+14155550111"

    @discardableResult
    private func createUser(in world: ServiceWorld, phone: String? = nil) async throws -> User {
        let phones = try phone.map { [try CanonicalIdentifier(type: "phone_number", value: $0)] } ?? []
        let mail = try CanonicalIdentifier(type: "email_address", value: Self.mail)
        return try await world.service.users.create(
            app: world.appID, identifiers: [mail] + phones, password: "correct horse")
    }

    private func login(_ client: PreludeSessionClient, _ password: String) async throws {
        _ = try await client.loginWithPassword(
            LoginWithPasswordOptions(emailAddress: Self.mail, password: password))
    }

    /// Signs in with the phone again and again, and guesses the password twice each time. Returns how many guesses were
    /// compared.
    private func guesses(_ world: ServiceWorld) async throws -> Int {
        let store = PreludeInMemoryCredentialStore()
        var compared = 0
        for _ in 1...5 {
            let client = try world.client(store: store)
            guard try await !isLimited({ try await world.signIn(client, as: Self.phone) }) else { break }
            for _ in 1...2 {
                do {
                    try await login(client, "a guess")
                } catch PreludeSessionError.rateLimited {
                } catch is PreludeSessionError {
                    compared += 1
                }
            }
            world.clock.advance(seconds: 30)
        }
        return compared
    }

    // Proves: O24
    @Test("A hijacker's own phone, which is held, gives no further guesses at the password (X1, X5)")
    func heldPhone() async throws {
        let world = try await world { app in
            app.otpLimits.sendsPerHour = 20
            app.otpLimits.starts = RateLimit(limit: 20, window: 600)
        }
        try await createUser(in: world)
        let managed = #"{"allowed_scopes": [{"scope": "prld:phone:register", "mode": "managed"}]}"#
        try #require(try await world.manage("/config/stepup", json: managed).status == 201)
        try await world.register("prld:phone:register")
        let hijacked = try await world.signedIn(Self.mail)
        let challenge = try await hijacked.requestStepUp(
            scope: "prld:phone:register", metadata: ["identifier": Self.phone])
        try await hijacked.sendStepUpOTP(challenge)
        _ = try await hijacked.submitStepUpOTP(challenge, code: try world.code(for: Self.phone))
        // The number of strangers: no login with the phone made the device a known one.
        #expect(try await guesses(world) == 3)
    }

    // Proves: O24
    @Test("A phone of the user gives no more guesses at the password than known devices have together (X5)")
    func ownPhone() async throws {
        let world = try await world { app in
            app.otpLimits.failedChecksPerDay = 3
            app.otpLimits.sendsPerHour = 20
            app.otpLimits.starts = RateLimit(limit: 20, window: 600)
        }
        try await createUser(in: world, phone: Self.phone)
        #expect(try await guesses(world) == 6)
    }

    // MARK: The end of known devices

    // Proves: O21
    @Test("After the others were signed out, the owner's devices have one small budget, until the next login (X5)")
    func former() async throws {
        let world = try await world()
        let (mine, stolen) = (PreludeInMemoryCredentialStore(), PreludeInMemoryCredentialStore())
        let owner = try await world.signedIn(Self.mail, store: mine)
        _ = try await world.signedIn(Self.mail, store: stolen)
        try await owner.revokeSessions(.others)
        try await besiege(world)
        // A thief spends what the former devices have together.
        while try await !isLimited({ try await start(try world.client(store: stolen)) }) {}
        #expect(try await isLimited { try await start(try world.client(store: mine)) })
        world.clock.advance(seconds: 3601)
        try await besiege(world)
        try await world.signIn(try world.client(store: mine), as: Self.mail)
        // The login made the device a known one.
        while try await !isLimited({ try await start(try world.client(store: stolen)) }) {}
        try await world.signIn(try world.client(store: mine), as: Self.mail)
    }

    @Test("A stranger who attacks in every hour does not keep out an owner who has signed out all sessions (X5)")
    func lockout() async throws {
        let world = try await world()
        try await createUser(in: world)
        let store = PreludeInMemoryCredentialStore()
        let owner = try await world.signedIn(Self.mail, store: store)
        try await owner.revokeSessions(.all)
        for _ in 1...2 {
            try await besiege(world)
            #expect(try await isLimited { try await login(try world.client(), "correct horse") })
            world.clock.advance(seconds: 3600)
        }
        try await besiege(world)
        try await login(try world.client(store: store), "correct horse")
    }

    // Proves: O25
    @Test("An operator opens an identifier that strangers have closed, and an event says who did")
    func unlocked() async throws {
        let world = try await world()
        let user = try await createUser(in: world)
        try await besiege(world)
        let new = try world.client()
        #expect(try await isLimited { try await start(new) })
        #expect(try await world.manage("/users/usr_unknown/limits", method: .delete).status == 404)
        let cleared = try await world.manage("/users/\(user.id)/limits", method: .delete)
        #expect(cleared.status == 204)
        try await world.signIn(new, as: Self.mail)
        let events = try await world.service.store.events(app: world.appID, limit: 1000, offset: 0)
        let event = try #require(events.first { $0.name == .limitsCleared })
        #expect(event.userID == user.id && event.data.count == 1)
        #expect(event.context.actor?.type == .managementKey && event.context.actor?.name == "test")
    }

    // MARK: Messages

    // Proves: H19
    @Test("One destination gets five codes in an hour and ten in a day, resends included")
    func destination() async throws {
        let world = try await world { app in
            (app.otpLimits.sendsPerHour, app.otpLimits.sendsPerDay) = (5, 10)
            app.otpLimits.starts = RateLimit(limit: 100, window: 600)
        }
        var sent: [Int] = []
        for _ in 1...3 {
            for _ in 1...4 {
                let stranger = try world.client()
                guard try await !isLimited({ try await start(stranger) }) else { continue }
                world.clock.advance(seconds: 30)
                _ = try await isLimited { try await stranger.resendOTP() }
            }
            sent.append(world.mailbox.messages.count)
            world.clock.advance(seconds: 3600)
        }
        #expect(sent == [5, 10, 10])
    }

    @Test(
        "An app's operator is told when the messages of strangers are spent, and a known device still gets codes"
    )
    func appDay() async throws {
        let world = try await world { $0.otpLimits.appSendsPerDay = 10 }
        let store = PreludeInMemoryCredentialStore()
        let client = try await world.signedIn(Self.mail, store: store)
        try await client.logout()
        await client.revokeEndedSessions()
        let node = world.node { _ in }
        for index in 1...12 {
            let identifier = try CanonicalIdentifier(type: "email_address", value: "u\(index)@example.com")
            _ = try await world.service.users.create(app: world.appID, identifiers: [identifier])
            _ = try await node.call(
                "/v1/session/otp",
                json: #"{"identifier":{"type":"email_address","value":"u\#(index)@example.com"}}"#)
        }
        // Six by the share of strangers, and one or more by the reserve of users.
        #expect((7...13).contains(world.mailbox.messages.count))
        let limited = EventQuery(app: world.appID, name: .exactly("login.limited"), limit: 10)
        let told = try #require(try await world.service.store.events(limited))
        #expect(told.map { $0.data["limit"] } == ["sends_of_app"])
        try await world.signIn(try node.client(store: store), as: Self.mail)
    }
}
