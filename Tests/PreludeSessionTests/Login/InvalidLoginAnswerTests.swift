import Foundation
import Testing

@testable import PreludeSession

@Suite("A login whose response is invalid", .timeLimit(.minutes(5)))
struct InvalidLoginAnswerTests {
    // Proves: R22
    @Test(
        "A login with an unusable access token signs no user in, and the server revokes its session",
        arguments: ["garbage", TestToken.jwt([:])])
    func unusableToken(token: String) async throws {
        let fixture = try await ClientFixture(signedIn: false)
        let client = try fixture.client()
        await fixture.transport.answer(
            "/login/email/password", ClientFixture.next(TestToken.challenge("t0", step: "completed")))
        await fixture.transport.answer(
            "/login/finalize",
            .success(
                #"{"access_token":"\#(token)","expires_at":9999999999}"#, headers: ["x-refresh-token": "refresh-1"]))
        await fixture.transport.answer("/revoke", .success())
        let error = try await failure {
            _ = try await client.loginWithPassword(
                LoginWithPasswordOptions(emailAddress: "ada@example.com", password: "secret words"))
        }
        #expect(error == "refreshFailed")
        #expect(try await fixture.stored() == nil)
        #expect(await client.profile == nil)
        await fixture.transport.arrival(of: "/revoke")
        #expect(await fixture.transport.requests("/revoke").map { $0.headers["x-refresh-token"] } == ["refresh-1"])
    }
}
