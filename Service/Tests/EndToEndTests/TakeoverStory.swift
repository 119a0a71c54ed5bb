import HTTPTypes
import PreludeSession
import PreludeSessionTesting
import SessionDomain
import SessionHTTP
import Testing

/// Attempts to turn a hijacked session into the account, with the SDK that the owner uses as well.
@Suite("Taking an account over", .eachStore)
struct TakeoverStory {
    private static let (owner, phone) = ("ada@example.com", "+14155550111")

    /// A world in which both kinds of identifiers change the password, and every login grants scopes.
    private func world(_ configure: (inout App) -> Void = { _ in }) async throws -> ServiceWorld {
        let world = try await ServiceWorld { app in
            for index in app.otpLogins.indices { app.otpLogins[index].grantedScopes = ["reports:read"] }
            configure(&app)
        }
        let rules = ["phone_number", "email_address"].map { type in
            """
            {"scope": "prld:pwd:write", "mode": "direct", "direct": {
                "identifier_types": ["\(type)"], "status": "review", "grant_mode": "single-use",
                "steps": [{"order": 1, "key": "\(type == "phone_number" ? "verify_sms" : "verify_email")"}]}}
            """
        }
        let managed = ["phone", "email"].map { #"{"scope": "prld:\#($0):register", "mode": "managed"}"# }
        let config = try await world.manage(
            "/config/stepup", json: #"{"allowed_scopes": [\#((rules + managed).joined(separator: ","))]}"#)
        try #require(config.status == 201)
        for scope in ["prld:pwd:write", "prld:phone:register", "prld:email:register", "reports:read"] {
            try await world.register(scope)
        }
        return world
    }

    /// Does the steps of a challenge with the codes of these recipients, and returns the keys of the steps.
    @discardableResult
    private func pass(
        _ scope: String, registering value: String? = nil, codes recipients: [String], on client: PreludeSessionClient,
        in world: ServiceWorld
    ) async throws -> [String] {
        var challenge = try await client.requestStepUp(scope: scope, metadata: value.map { ["identifier": $0] })
        var keys: [String] = []
        for recipient in recipients {
            keys.append(try #require(challenge.currentStep))
            try await client.sendStepUpOTP(challenge)
            #expect(world.mailbox.messages.first { $0.code != nil }?.to == recipient)
            guard let next = try await client.submitStepUpOTP(challenge, code: try world.code(for: recipient)) else {
                break
            }
            challenge = next
        }
        return keys
    }

    private func registerPhone(on client: PreludeSessionClient, in world: ServiceWorld) async throws {
        try await pass("prld:phone:register", registering: Self.phone, codes: [Self.phone], on: client, in: world)
    }

    /// The recipient of the first code for a scope. `nil` if the step-up is rejected.
    private func firstRecipient(
        _ scope: String, registering value: String? = nil, on client: PreludeSessionClient, in world: ServiceWorld
    ) async throws -> String? {
        do {
            let challenge = try await client.requestStepUp(scope: scope, metadata: value.map { ["identifier": $0] })
            try await client.sendStepUpOTP(challenge)
        } catch PreludeSessionError.forbidden {
            return nil
        }
        return world.mailbox.messages.first { $0.code != nil }?.to
    }

    @Test("A hijacked session that registered its own phone gets nothing with it for 72 hours (X1)")
    func hijackedSession() async throws {
        let world = try await world()
        // The login was a moment ago, so one code suffices: the worst case for the owner.
        let hijacked = try await world.signedIn(Self.owner)
        try await registerPhone(on: hijacked, in: world)
        for seconds in [0, 259_199] {
            world.clock.advance(seconds: seconds)
            // The phone signs in, but the login confirms nothing: neither the phone itself, nor another identifier.
            let thief = try await world.signedIn(Self.phone)
            #expect(try await thief.scopes() == [], "a held identifier gets no scopes of a login")
            for client in [hijacked, thief] {
                // The owner's address is the only one by which a step could be done.
                #expect(try await client.requestStepUp(scope: "prld:pwd:write").currentStep == "verify_email")
                let phone = try await client.requestStepUp(
                    scope: "prld:phone:register", metadata: ["identifier": "+14155550199"])
                #expect(phone.currentStep == "verify_email")
                let recipient = try await firstRecipient(
                    "prld:email:register", registering: "thief@example.com", on: client, in: world)
                #expect(recipient == Self.owner)
            }
        }
        world.clock.advance(seconds: 1)
        let owner = try await world.signedIn(Self.phone)
        #expect(try await owner.scopes() == ["reports:read"])
        try await pass("prld:pwd:write", codes: [Self.phone], on: owner, in: world)
        #expect(try await owner.canChangePassword())
    }

    @Test("Two identifiers that were registered at once do not release each other (X1)")
    func twoAtOnce() async throws {
        let world = try await world()
        let hijacked = try await world.signedIn(Self.owner)
        let other = "thief@example.com"
        let challenges = [
            try await hijacked.requestStepUp(scope: "prld:phone:register", metadata: ["identifier": Self.phone]),
            try await hijacked.requestStepUp(scope: "prld:email:register", metadata: ["identifier": other]),
        ]
        for (challenge, recipient) in zip(challenges, [Self.phone, other]) {
            try await hijacked.sendStepUpOTP(challenge)
            _ = try await hijacked.submitStepUpOTP(challenge, code: try world.code(for: recipient))
        }
        for recipient in [Self.phone, other, Self.phone] {
            let thief = try await world.signedIn(recipient)
            #expect(try await firstRecipient("prld:pwd:write", on: thief, in: world) == Self.owner)
        }
    }

    @Test("A session of an older login confirms an existing identifier first, and the SDK does both steps")
    func existingFirst() async throws {
        let world = try await world()
        let client = try await world.signedIn(Self.owner)
        world.clock.advance(seconds: 601)
        let keys = try await pass(
            "prld:phone:register", registering: Self.phone, codes: [Self.owner, Self.phone], on: client, in: world)
        #expect(keys == ["verify_email", "verify_sms"])
        #expect(try await client.fetchIdentifiers().map(\.value) == [Self.owner, Self.phone])
        // Both steps may have the same key.
        world.clock.advance(seconds: 259_200)
        let second = "second@example.com"
        let same = try await pass(
            "prld:email:register", registering: second, codes: [Self.owner, second], on: client, in: world)
        #expect(same == ["verify_email", "verify_email"])
        #expect(try await client.fetchIdentifiers().map(\.value) == [Self.owner, Self.phone, second])
    }

    @Test("A login with an identifier that is not held ends the hold")
    func released() async throws {
        let world = try await world()
        let client = try await world.signedIn(Self.owner)
        try await registerPhone(on: client, in: world)
        #expect(try await firstRecipient("prld:pwd:write", on: client, in: world) == Self.owner)
        _ = try await world.signedIn(Self.owner)
        try await pass("prld:pwd:write", codes: [Self.phone], on: client, in: world)
        #expect(try await client.canChangePassword())
    }

    @Test("A user whose only identifier is held registers no other one until the hold ends")
    func onlyHeld() async throws {
        let world = try await world()
        let client = try await world.signedIn(Self.owner)
        try await registerPhone(on: client, in: world)
        let mail = try CanonicalIdentifier(type: "email_address", value: Self.owner)
        let user = try await world.service.users.user(with: mail, app: world.appID)
        _ = try await world.service.users.removeIdentifier(mail, user: user.id, app: world.appID)
        let new = "new@example.com"
        #expect(try await firstRecipient("prld:email:register", registering: new, on: client, in: world) == nil)
        #expect(try await firstRecipient("prld:pwd:write", on: client, in: world) == nil)
        world.clock.advance(seconds: 259_200)
        #expect(try await firstRecipient("prld:email:register", registering: new, on: client, in: world) == Self.phone)
    }

    @Test("An operator restores the registration in one step, and sets how long a new identifier is held")
    func settings() async throws {
        let world = try await world()
        let set = try await world.manage(
            "", json: #"{"register_in_one_step": true, "new_identifier_hold": 0}"#, method: .patch)
        #expect(set.status == 200)
        #expect(set.body["register_in_one_step"] == .bool(true) && set.body["new_identifier_hold"] == .int(0))
        let client = try await world.signedIn(Self.owner)
        world.clock.advance(seconds: 601)
        try await registerPhone(on: client, in: world)
        try await pass("prld:pwd:write", codes: [Self.phone], on: client, in: world)
        for value in ["-1", "2592001"] {
            let refused = try await world.manage("", json: #"{"new_identifier_hold": \#(value)}"#, method: .patch)
            #expect(refused.status == 400)
            #expect(refused.body["message"]?.stringValue?.contains("new_identifier_hold") == true)
        }
    }

    // MARK: Logins that have begun

    /// Ends sessions of the owner, who has another session and a login that has begun.
    private func begunLogin(
        ending end: (PreludeSessionClient, ServiceWorld) async throws -> Void
    ) async throws -> (status: Int, world: ServiceWorld) {
        let world = try await world()
        let client = try await world.signedIn(Self.owner)
        let begun = try await world.completedLogin(Self.owner)
        try await end(client, world)
        let thief = RawDevice(signedOut: world)
        return (try await thief.finalize(begun).status, world)
    }

    @Test("Signing out other sessions, or all, voids logins that began before, in the same second too (X3)")
    func begunLogins() async throws {
        #expect(try await begunLogin { _, _ in }.status == 200)
        #expect(try await begunLogin { client, _ in try await client.revokeSessions(.others) }.status == 401)
        #expect(try await begunLogin { client, _ in try await client.revokeSessions(.all) }.status == 401)
        #expect(try await begunLogin { client, _ in try await client.revokeSessions(.mine) }.status == 200)
        let byOperator = try await begunLogin { _, world in
            let user = try await world.service.users.user(
                with: try CanonicalIdentifier(type: "email_address", value: Self.owner), app: world.appID)
            let ended = try await world.manage("/users/\(user.id)/sessions/invalidate", json: "{}")
            #expect(ended.status == 200)
        }
        #expect(byOperator.status == 401)
        // A login that begins after the revocation is valid, in the same second too.
        _ = try await byOperator.world.signedIn(Self.owner)
    }

    @Test("A code that was sent before the other sessions were signed out is invalid after it (X3)")
    func runningCode() async throws {
        let world = try await world()
        let client = try await world.signedIn(Self.owner)
        let thief = try world.client()
        try await thief.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: Self.owner)))
        let learnt = try world.code(for: Self.owner)
        try await client.revokeSessions(.others)
        await #expect(throws: PreludeSessionError.self) { try await thief.checkOTP(learnt) }
    }

    // MARK: Grants

    @Test("A profile-bound grant ends with the session that earned it (X2)")
    func grantOfEndedSession() async throws {
        let endings: [(PreludeSessionClient, PreludeSessionClient, ServiceWorld) async throws -> Void] = [
            { earner, _, _ in try await earner.revokeSessions(.mine) },
            { _, other, _ in try await other.revokeSessions(.others) },
            { earner, _, _ in
                try await earner.logout()
                await earner.revokeEndedSessions()
            },
        ]
        for end in endings {
            let world = try await ServiceWorld()
            try await world.allow("transfer:write", mode: "profile-bound")
            let (earner, other) = (try await world.signedIn(Self.owner), try await world.signedIn(Self.owner))
            try await earner.stepUp("transfer:write", in: world)
            try await other.invalidateSession()
            _ = try await other.refresh()
            #expect(try await other.scopes() == ["transfer:write"])
            try await end(earner, other, world)
            try await other.invalidateSession()
            _ = try await other.refresh()
            #expect(try await other.scopes() == [])
        }
    }

    // MARK: Addresses

    @Test("A code is sent to the identifier as it is stored, and a form that resembles it is rejected (X4)")
    func addressAsStored() async throws {
        let world = try await world()
        _ = try await world.signedIn("Mike@Example.com")
        let start = { (address: String) async throws in
            try await world.call(
                "/v1/session/otp", json: #"{"identifier":{"type":"email_address","value":"\#(address)"}}"#)
        }
        #expect(try await start("MIKE@example.com").status == 204)
        #expect(world.mailbox.messages.first?.to == "Mike@Example.com")
        let sent = world.mailbox.messages.count
        for (path, body) in [
            ("/v1/session/otp", #"{"identifier":{"type":"email_address","value":"mi\u212Ae@example.com"}}"#),
            ("/v1/session/login/email/password", #"{"identifier":"mi\u212Ae@example.com","password":"x"}"#),
        ] {
            let refused = try await world.call(path, json: body)
            #expect(refused.status == 400)
            #expect(refused.body["code"]?.stringValue == "invalid_identifier")
            #expect(refused.body["message"]?.stringValue?.contains("identifier contains U+212A") == true)
        }
        let created = try await world.manage(
            "/users", json: #"{"identifiers":[{"type":"email_address","value":"mi\u212Ae@example.com"}]}"#)
        #expect(created.status == 400)
        let client = try await world.signedIn(Self.owner)
        let error = await #expect(throws: PreludeSessionError.self) {
            try await client.requestStepUp(
                scope: "prld:email:register", metadata: ["identifier": "mi\u{212A}e@example.com"])
        }
        guard case .badRequest(let message) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(message.text.contains("metadata.identifier"))
        #expect(world.mailbox.messages.count == sent + 1, "only the code of the last login")
    }
}
