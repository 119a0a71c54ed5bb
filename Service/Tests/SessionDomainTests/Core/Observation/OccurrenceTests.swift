import SessionTokens
import Testing

@testable import SessionDomain

@Suite("What observers learn")
struct OccurrenceTests {
    private func texts(_ changes: [Change], isCommitted: Bool = true) -> [String] {
        let decision = isCommitted ? Decision(1, changes) : Decision.unwritten(1, checking: changes)
        return decision.occurrences.map { "\($0)" }
    }

    @Test("Committed events of logins, reuse and hooks are occurrences without ids and identifiers")
    func events() throws {
        let events = try TestApp.events()
        let subject = LoginSubject(try TestApp.mail(), userID: "usr_1")
        let changes: [Change] = [
            .append(events.loginFailed(.wrongPassword, .password, of: subject)),
            .append(events.make(.sessionCreated, ["user_id": "usr_1"], reporting: .login(.smsCode, .succeeded))),
            .append(events.refreshTokenReused(try TestApp.session(), reason: .olderToken)),
            .append(events.make(.stepUpHookFailed, ["user_id": "usr_1"], reporting: .hookFailed(.invalidStatus))),
            .append(events.make(.userCreated, ["user_id": "usr_1"])),
        ]
        let texts = texts(changes)
        #expect(texts.count == 4)
        #expect(texts[0].contains("password") && texts[0].contains("wrongPassword"))
        #expect(texts[1].contains("smsCode") && texts[1].contains("succeeded"))
        #expect(texts[2].contains("olderToken") && texts[3].contains("invalidStatus"))
        #expect(!"\(texts)".contains("usr_1") && !"\(texts)".contains("example.com"))
    }

    @Test("What is not committed is no occurrence")
    func undone() throws {
        let event = try TestApp.events().loginFailed(.wrongCode, .emailCode, of: LoginSubject(nil))
        #expect(texts([.append(event)]).count == 1)
        #expect(texts([.append(event)], isCommitted: false).isEmpty)
    }

    @Test("A queued message is one, unless it must not be sent")
    func messages() throws {
        #expect(texts([.insertMessage(try TestApp.message())]).count == 1)
        #expect(texts([.insertMessage(try TestApp.message(withheld: .unknownUser))]).isEmpty)
    }

    // Proves: A6
    @Test("Every reason of a refusal is a name without text of the caller")
    func reasons() {
        let refusals: [Refusal] = [
            .invalidField("secret", "secret"), .invalidIdentifier("secret"), .noLoginConfig("secret"),
            .invalidStepToken("secret"), .proofForOtherTarget(expected: "https://secret"), .nonceRequired("secret"),
            .insufficientScope("secret"), .forbidden("secret"), .notFound("secret"), .conflict("secret"),
            .unavailable("secret"), .invalidMetadata("secret"), .invalidPassword("secret"),
        ]
        for refusal in refusals { #expect(!RefusalReason(refusal).name.contains("secret")) }
        let proofs: [Refusal] = [
            .missingProof, .invalidProof(.invalidSignature), .proofForOtherTarget(expected: ""), .replayedProof,
            .proofKeyMismatch, .proofNotOfChallenge, .nonceRequired(""),
        ]
        #expect(proofs.allSatisfy { RefusalReason($0).isAboutProof })
        #expect(Set(proofs.map { RefusalReason($0).name }).count == proofs.count)
    }
}
