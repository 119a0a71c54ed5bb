import Foundation
import PreludeSession
import PreludeSessionTesting
import SessionDomain
import SessionTokens
import Testing

@Suite("Claims that an app maps", .eachStore)
struct ClaimsStory {
    @Test("The token contains literals, inputs and profile values, resolved again at each refresh")
    func wholeStory() async throws {
        let world = try await ServiceWorld()
        let config = try await world.manage(
            "/config/claims",
            json: """
                {"mapping": {"tier": "gold", "mail": {"$input": "emails", "$type": "string"},
                    "phones": {"$input": "phone_numbers"}, "ip": {"$input": "ip"}, "plan": {"$custom_claim": "plan"}}}
                """)
        try #require(config.status == 201)
        let client = try await world.signedIn()
        let extras = try #require(await client.profile?.extras)
        #expect(extras["tier"] == .string("gold"))
        #expect(extras["mail"] == .string("ada@example.com"))
        #expect(extras["phones"] == .null)
        #expect(extras["ip"] == .string("127.0.0.1"))
        #expect(extras["plan"] == .null)
        _ = try await world.service.users.mergeProfile(
            ["plan": "pro"], user: try #require(await client.profile?.userID), app: world.appID)
        try await client.invalidateSession()
        #expect(try await client.refresh().profile.extras["plan"] == .string("pro"))
    }

    @Test("A literal with the maximum depth is stored, read and put into a valid token")
    func deep() async throws {
        let world = try await ServiceWorld()
        let literal = String(repeating: "[", count: 29) + "1" + String(repeating: "]", count: 29)
        try #require(
            try await world.manage("/config/claims", json: #"{"mapping": {"x": \#(literal)}}"#).status == 201)
        try #require(try await world.service.store.apps().count == 1)
        world.clock.advance(seconds: AppDirectory.lifetime)
        let client = try await world.signedIn()
        #expect(await client.profile?.extras["x"] != nil)
        _ = try await client.listSessions()
    }

    @Test(
        "A mapping for a reserved claim is rejected with the claim's name",
        arguments: ["iss", "sub", "scope", "exp", "cnf"])
    func reserved(name: String) async throws {
        let answer = try await ServiceWorld().manage("/config/claims", json: #"{"mapping": {"\#(name)": "mine"}}"#)
        #expect(answer.status == 400)
        #expect(answer.body["message"]?.stringValue?.hasPrefix("mapping.\(name) ") == true)
    }
}
