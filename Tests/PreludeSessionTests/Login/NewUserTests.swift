import Foundation
import Testing

@testable import PreludeSession

@Suite("What a login says about the user")
struct NewUserTests {
    private func login(member: String, claims: [String: PreludeJSONValue] = ["sub": .string("usr_1")]) async throws
        -> PreludeUser
    {
        let fixture = try await ClientFixture(signedIn: false)
        await fixture.transport.answer(
            "/login/email/password", ClientFixture.next(TestToken.challenge("t0", step: "completed")))
        let expiry = Int(fixture.clock.now.timeIntervalSince1970) + 300
        await fixture.transport.answer(
            "/login/finalize",
            .success(
                #"{"access_token":"\#(TestToken.jwt(claims))","expires_at":\#(expiry)\#(member)}"#,
                headers: ["x-refresh-token": "refresh-1"]))
        return try await fixture.client().loginWithPassword(
            LoginWithPasswordOptions(emailAddress: "ada@example.com", password: "p"))
    }

    @Test(
        "The user is new if the service says so; a service without this member, or with null, says nothing",
        arguments: [
            (#","is_new_user":true"#, true), (#","is_new_user":false"#, false), ("", false),
            (#","is_new_user":null"#, false),
        ])
    func isNew(member: String, expected: Bool) async throws {
        let user = try await login(member: member)
        #expect(user.isNewUser == expected)
        #expect(user.userID == "usr_1")
    }

    @Test(
        "A token that names no user is not returned",
        arguments: [[String: PreludeJSONValue](), ["sub": .string("")]])
    func nameless(claims: [String: PreludeJSONValue]) async throws {
        #expect(try await failure { _ = try await login(member: "", claims: claims) } == "refreshFailed")
    }
}
