import Foundation
import Testing

@testable import PreludeSession

@Suite("Types that can be encoded")
struct CodableTests {
    private func copy<Value: Codable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: try JSONEncoder().encode(value))
    }

    private func read<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(json.utf8))
    }

    @Test("A page of sessions is read in the form of the service's response, and survives a copy")
    func sessions() throws {
        let page = try read(
            ListSessionsResponse.self,
            """
            {"sessions":[{"id":"ses_1","device_model":"iPhone","device_type":"watch","os_version":"iOS 17",
            "country_code":"CH","created_at":"a","last_seen_at":"b","expires_at":"c"}],"total":7,"limit":1,"offset":2}
            """)
        #expect((page.total, page.limit, page.offset) == (7, 1, 2))
        let session = try #require(page.sessions.first)
        #expect((session.id, session.deviceModel, session.osVersion) == ("ses_1", "iPhone", "iOS 17"))
        #expect((session.countryCode, session.createdAt, session.lastSeenAt) == ("CH", "a", "b"))
        #expect(session.expiresAt == "c")
        #expect(session.deviceType == .unknown)
        #expect(try copy(page) == page)
        #expect(try copy(session) == session)
    }

    @Test("Identifiers, rules, options and states survive a copy, in the protocol's words")
    func values() throws {
        let identifier = try read(PreludeIdentifier.self, #"{"type":"phone_number","value":"+1"}"#)
        #expect(identifier == PreludeIdentifier(type: .phoneNumber, value: "+1"))
        #expect(try copy(identifier) == identifier)
        let rules = try read(
            PreludePasswordCompliancy.self,
            #"{"min_length":8,"max_length":0,"uppercase":1,"lowercase":2,"numbers":3,"symbols":4}"#)
        #expect(
            rules == PreludePasswordCompliancy(minLength: 8, uppercase: 1, lowercase: 2, numbers: 3, symbols: 4))
        #expect(try copy(rules) == rules)
        let results = PreludeSessionClient.validate(password: "a", against: rules)
        #expect(try copy(results) == results)
        #expect(results.results.first?.criterion == PreludePasswordCompliancyCriterion.minLength)
        let later = try read(PreludePasswordCompliancyCriterion.self, #""tomorrow""#)
        #expect(later == PreludePasswordCompliancyCriterion(rawValue: "tomorrow") && "\(later)" == "tomorrow")
        #expect(try copy(ListSessionsOptions(limit: 5)) == ListSessionsOptions(limit: 5))
        #expect(
            try read([StepUpStatus].self, #"["review","block","continue"]"#) == [.underReview, .blocked, .continue])
        #expect(try read([PreludeDeviceType].self, #"["mobile","fridge"]"#) == [.mobile, .unknown])
    }

    @Test(
        "Only the options of a page that are set are sent",
        arguments: [
            (ListSessionsOptions(), ""), (ListSessionsOptions(limit: 5), "?limit=5"),
            (ListSessionsOptions(offset: 10), "?offset=10"),
            (ListSessionsOptions(limit: 5, offset: 10), "?limit=5&offset=10"),
        ])
    func query(options: ListSessionsOptions, query: String) async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        await fixture.transport.answer("/me/list", .success(#"{"sessions":[],"total":0,"limit":10,"offset":0}"#))
        _ = try await client.listSessions(options)
        #expect(await fixture.transport.requests("/me/list").map(\.query) == [query])
    }

    @Test("A profile survives a copy, and reads mapped claims by type")
    func profile() throws {
        let profile = PreludeProfile(
            userID: "usr_1", sessionID: "ses_1",
            extras: ["plan": .string("pro"), "seats": .int(3), "roles": .array([.string("admin")])])
        #expect(try copy(profile) == profile)
        #expect(profile["plan", as: String.self] == "pro")
        #expect(profile["seats", as: Int.self] == 3)
        #expect(profile["roles", as: [String].self] == ["admin"])
        #expect(profile["plan", as: Int.self] == nil && profile["none", as: String.self] == nil)
        let options = StartOTPLoginOptions(identifier: PreludeIdentifier(type: .phoneNumber, value: "+1"))
        #expect(try copy(options) == options)
    }

    @Test("A profile without a user is no profile", arguments: ["{}", #"{"extras":{}}"#])
    func noUser(json: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(PreludeProfile.self, from: Data(json.utf8)) }
        for claims in ["e30", "eyJzdWIiOiIifQ"] {  // {} and {"sub":""}
            #expect(throws: PreludeSessionError.self) { try PreludeUser(accessToken: "h.\(claims).s") }
        }
    }

    @Test("Values of previews have what their initializers say")
    func previews() throws {
        let user = PreludeUser(accessToken: "", profile: PreludeProfile(userID: "usr_1"), isNewUser: true)
        #expect(user.userID == "usr_1" && user.isNewUser)
        let page = ListSessionsResponse(sessions: [PreludeSessionView(id: "ses_1", deviceModel: "iPhone")])
        #expect(page.total == 1 && page.sessions[0].deviceModel == "iPhone")
        let result = PreludePasswordCompliancyResult(criterion: .minLength, actual: 3, expected: 8, valid: false)
        #expect(!PreludePasswordCompliancyResults(results: [result]).valid)
        #expect(StepUpChallenge(scope: "pay").expectsCode && !StepUpChallenge(scope: "pay").isCompleted)
        #expect(StepUpChallenge(scope: "pay", step: "completed").isCompleted)
        #expect(StepUpChallenge(scope: "pay", status: .blocked).currentStep == nil)
    }
}
