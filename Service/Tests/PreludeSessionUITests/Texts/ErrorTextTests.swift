import Foundation
import PreludeSession
import Testing

@testable import PreludeSessionUI

@Suite("Texts for errors")
struct ErrorTextTests {
    private struct Other: Error {}

    @Test(
        "With a session, each error has the SDK's message",
        arguments: [
            PreludeSessionError.timeout, .rateLimited(.init("x", retryAfter: 7)), .invalidOTPCode("x"),
            .unauthorized("x"),
            .expiredChallengeToken("x"), .forbidden("x"), .storageUnavailable("x"), .internalServerError("x"),
        ])
    func messages(error: PreludeSessionError) {
        #expect(SessionUIText.shown(for: error, in: .session) == SessionUIText(error.message))
        #expect(SessionUIText.shown(for: error, in: .session)?.string() == error.message.text())
    }

    @Test("In a login, a missing session means that the login has expired")
    func signIn() {
        for error in [PreludeSessionError.unauthorized("x"), .badRequest("x"), .expiredChallengeToken("x")] {
            #expect(SessionUIText.shown(for: error, in: .signIn) == SessionUIText(.signInExpired))
        }
        let wrong = PreludeSessionError.invalidOTPCode("x")
        #expect(SessionUIText.shown(for: wrong, in: .signIn) == SessionUIText(wrong.message))
    }

    @Test("A cancelled call has no text, and a foreign error has one")
    func others() {
        #expect(SessionUIText.shown(for: CancellationError(), in: .session) == nil)
        #expect(SessionUIText.shown(for: Other(), in: .session) == SessionUIText(PreludeSessionMessage(.failed)))
    }
}
