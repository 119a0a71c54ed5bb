import HTTPTypes
import PreludeSession
import PreludeSessionTesting
import SessionDomain
import SessionWire
import Testing

/// The service says when a code can no longer be right. A caller that guesses learns nothing from it.
@Suite("A code that can no longer be right", .eachStore)
struct SpentCodeStory {
    private static let mail = "ada@example.com"

    private func start(_ client: PreludeSessionClient, _ mail: String = Self.mail) async throws {
        try await client.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: mail)))
    }

    private func wrong(_ code: String) -> String { code == "000000" ? "000001" : "000000" }

    @Test("The fifth wrong code needs a new one, and a new one signs in")
    func usedUp() async throws {
        let world = try await ServiceWorld()
        let client = try world.client()
        try await start(client)
        let code = try world.code(for: Self.mail)
        for index in 1...5 {
            let error = await #expect(throws: PreludeSessionError.self) { try await client.checkOTP(wrong(code)) }
            #expect(error?.needsNewCode == (index == 5))
            #expect(error?.code == .badCheckCode)
            #expect(error?.field == "code")
        }
        let sixth = await #expect(throws: PreludeSessionError.self) { try await client.checkOTP(code) }
        #expect(sixth?.needsNewCode == true)
        #expect(sixth?.message.key == .newCode)
        world.clock.advance(seconds: 31)
        try await client.resendOTP()
        let again = await #expect(throws: PreludeSessionError.self) { try await client.checkOTP(wrong(code)) }
        #expect(again?.needsNewCode == false)
        _ = try await client.checkOTP(try world.code(for: Self.mail))
    }

    @Test("An expired code needs a new one, and a resend sends it")
    func expired() async throws {
        let world = try await ServiceWorld()
        let client = try world.client()
        try await start(client)
        let code = try world.code(for: Self.mail)
        for seconds in [600, 2399] {
            world.clock.advance(seconds: seconds)
            let check = await #expect(throws: PreludeSessionError.self) { try await client.checkOTP(code) }
            #expect(check?.needsNewCode == true)
            try await client.resendOTP()
        }
        world.clock.advance(seconds: 599)
        _ = try await client.checkOTP(try world.code(for: Self.mail))
    }

    @Test("After 50 minutes a login has ended: check and resend say that a new one is needed, and a new start signs in")
    func ended() async throws {
        let world = try await ServiceWorld()
        let client = try world.client()
        try await start(client)
        world.clock.advance(seconds: 3000)
        let code = try world.code(for: Self.mail)
        let check = await #expect(throws: PreludeSessionError.self) { try await client.checkOTP(code) }
        #expect(check?.needsNewCode == true)
        let resend = await #expect(throws: PreludeSessionError.self) { try await client.resendOTP() }
        #expect(resend?.needsNewCode == true)
        try await start(client)
        _ = try await client.checkOTP(try world.code(for: Self.mail))
    }

    /// Who the guessed identifier belongs to.
    enum Owner: CaseIterable { case active, closed, suspended, none }

    /// The statuses and bodies that a guesser gets for seven guesses and one after the expiry, without request ids.
    private func answers(about owner: Owner) async throws -> [String] {
        let world = try await ServiceWorld { $0.signUp = false }
        if owner != .none {
            let created = try await world.manage(
                "/users", json: #"{"identifiers":[{"type":"email_address","value":"\#(Self.mail)"}]}"#)
            let id = try #require(created.body["id"]?.stringValue)
            if owner == .closed {
                try await world.manage("/users/\(id)/status", json: #"{"status":"inactive"}"#, method: .put)
            }
            if owner == .suspended {
                try await world.manage("/users/\(id)/status", json: #"{"status":"suspended"}"#, method: .put)
            }
        }
        func begin() async throws -> [String: String] {
            let started = try await world.call(
                FrontendPath.otp.rawValue,
                json: #"{"identifier":{"type":"email_address","value":"\#(Self.mail)"}}"#)
            let name = try #require(HTTPField.Name(HeaderName.verificationToken))
            return [HeaderName.verificationToken: try #require(started.head.headerFields[name])]
        }
        func guess(_ headers: [String: String]) async throws -> String {
            // Never the code: it has six digits.
            let answer = try await world.call(
                FrontendPath.otpCheck.rawValue, json: #"{"code":"1234567"}"#, headers: headers)
            let body = answer.body.filter { $0.key != "request_id" }.sorted { $0.key < $1.key }
            return "\(answer.status) \(body)"
        }
        let first = try await begin()
        var answers: [String] = []
        for _ in 1...7 { answers.append(try await guess(first)) }
        let second = try await begin()
        world.clock.advance(seconds: 600)
        answers.append(try await guess(second))
        return answers
    }

    // Proves: O33
    @Test("A guesser gets the same answers for known, closed, suspended and unknown identifiers")
    func unknown() async throws {
        let expected = try await answers(about: .active)
        #expect(expected.map { $0.contains("needs_new_code") } == [false, false, false, false, true, true, true, true])
        #expect(expected.allSatisfy { $0.hasPrefix("401") && $0.contains("bad_check_code") })
        for owner in Owner.allCases { #expect(try await answers(about: owner) == expected, "\(owner)") }
    }

    // Proves: O33
    @Test("The right code after the last check, or after its expiry, gets the answer of a wrong one")
    func rightTooLate() async throws {
        for late in [false, true] {
            var texts: Set<String> = []
            for isRight in [true, false] {
                let world = try await ServiceWorld()
                let client = try world.client()
                try await start(client)
                let code = try world.code(for: Self.mail)
                if late {
                    world.clock.advance(seconds: 600)
                } else {
                    for _ in 1...5 {
                        await #expect(throws: PreludeSessionError.self) { try await client.checkOTP(wrong(code)) }
                    }
                }
                let error = await #expect(throws: PreludeSessionError.self) {
                    try await client.checkOTP(isRight ? code : wrong(code))
                }
                texts.insert(String("\(error as Any)".prefix { $0 != "=" }) + "\(error?.needsNewCode as Any)")
            }
            #expect(texts.count == 1)
        }
    }

    @Test("In a step-up the fifth wrong code needs a new one, and then the scope must be requested again")
    func stepUp() async throws {
        let world = try await ServiceWorld()
        try await world.allow("transfer:write")
        let client = try await world.signedIn()
        let challenge = try await client.requestStepUp(scope: "transfer:write")
        let unsent = await #expect(throws: PreludeSessionError.self) {
            try await client.submitStepUpOTP(challenge, code: "1234567")
        }
        #expect(unsent?.needsNewCode == true)
        try await client.sendStepUpOTP(challenge)
        for index in 1...5 {
            let error = await #expect(throws: PreludeSessionError.self) {
                try await client.submitStepUpOTP(challenge, code: "1234567")
            }
            #expect(error?.needsNewCode == (index == 5))
        }
        world.clock.advance(seconds: 31)
        let resend = await #expect(throws: PreludeSessionError.self) { try await client.sendStepUpOTP(challenge) }
        #expect(resend?.message.key == .startAgain)
        let next = try await client.requestStepUp(scope: "transfer:write")
        try await client.sendStepUpOTP(next)
        #expect(try await client.submitStepUpOTP(next, code: try world.code(for: Self.mail)) == nil)
    }
}
