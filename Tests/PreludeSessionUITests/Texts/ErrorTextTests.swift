import Foundation
import PreludeSession
import Testing

@testable import PreludeSessionUI

@Suite("Texts for errors")
struct ErrorTextTests {
    private struct Other: Error {}

    private static let table: [(PreludeSessionError, SessionUIText.Key)] = [
        (.network(underlying: Other()), .noAnswer), (.timeout, .noAnswer), (.rateLimited("x"), .waitSome),
        (.invalidOTPCode("x"), .wrongCode), (.invalidPassword("x"), .passwordRejected),
        (.unauthorized("x"), .signedOut), (.deviceKeyLost("x"), .signedOut), (.storageUnavailable("x"), .unlockDevice),
        (.expiredChallengeToken("x"), .confirmationExpired), (.invalidChallengeToken("x"), .confirmationExpired),
        (.missingChallengeToken("x"), .confirmationExpired), (.tokenReused("x"), .confirmationExpired),
        (.forbidden("x"), .notPossible), (.insufficientScope("x"), .confirmFirst), (.conflict("x"), .inUse),
        (.internalServerError("x"), .failed), (.generic(code: "x", message: "x"), .failed),
    ]

    @Test("Each error has its text", arguments: table)
    func errors(error: PreludeSessionError, key: SessionUIText.Key) {
        #expect(SessionUIText.shown(for: error, in: .session) == SessionUIText(key))
    }

    @Test("In a login, a missing session means that the login has expired")
    func signIn() {
        for error in [PreludeSessionError.unauthorized("x"), .expiredChallengeToken("x")] {
            #expect(SessionUIText.shown(for: error, in: .signIn) == SessionUIText(.signInExpired))
        }
    }

    @Test(
        "A wait is shown in seconds or in minutes, rounded up",
        arguments: [
            (1, SessionUIText(.waitSeconds, .count(1))), (119, SessionUIText(.waitSeconds, .count(119))),
            (120, SessionUIText(.waitMinutes, .count(2))), (121, SessionUIText(.waitMinutes, .count(3))),
            (0, SessionUIText(.waitSome)),
        ])
    func wait(seconds: Int, text: SessionUIText) {
        let error = PreludeSessionError.rateLimited("too many tries [retry-after=\(seconds)]")
        #expect(SessionUIText.shown(for: error, in: .session) == text)
    }

    @Test("A cancelled call has no text, and a foreign error has one")
    func others() {
        #expect(SessionUIText.shown(for: CancellationError(), in: .session) == nil)
        #expect(SessionUIText.shown(for: Other(), in: .session) == SessionUIText(.failed))
    }
}
