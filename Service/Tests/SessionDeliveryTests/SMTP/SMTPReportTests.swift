import SessionDomain
import Testing

@testable import SessionDelivery

@Suite("Reports of attempts at mail servers")
struct SMTPReportTests {
    private func job(username: String? = "shop") throws -> SMTPJob {
        let settings = RouteSettings(kind: .smtp, host: "mail.example.com", username: username)
        guard let server = SMTPServer(settings) else { throw TestFailure() }
        return SMTPJob(
            server: server, secret: "p", addresses: ["192.0.2.1"], trustRoots: nil, sender: "a@example.com",
            recipient: "b@example.com", mail: [], timeout: 1)
    }

    /// A conversation up to the reply to AUTH.
    private func conversation(reply: String?) -> SMTPConversation {
        var talk = SMTPConversation()
        talk.received("220 mail.example.com")
        for command in ["EHLO client", "STARTTLS", "EHLO client", "AUTH PLAIN"] {
            talk.sent(command)
            if command != "AUTH PLAIN" { talk.received("250 ok") }
        }
        if let reply { talk.received(reply) }
        return talk
    }

    @Test(
        "Only 2xx to AUTH is a login",
        arguments: [("235 welcome", true), ("334 ", false), ("454 later", false), ("535 no", false), (nil, false)]
            as [(String?, Bool)])
    func login(reply: String?, isSignedIn: Bool) throws {
        let outcome = SMTPWorker.Outcome(
            conversation: conversation(reply: reply), problem: .disconnected(.authentication), isReused: false)
        let steps = SMTPReport(job: try job(), outcome: outcome, text: ReasonText(hiding: [], code: nil)).value.steps
        #expect(steps.contains { $0.stage == .tls })
        #expect(steps.contains { $0.stage == .authentication } == isSignedIn)
    }

    @Test(
        "The remedy is that of the failure, and not that of its stage",
        arguments: [
            (.refused(.recipient, .init(code: 550, text: "550 5.1.1 no such user")), "check the recipient"),
            (.refused(.recipient, .init(code: 450, text: "450 4.2.0 greylisted")), "retry in a few minutes"),
            (
                .refused(.recipient, .init(code: 554, text: "554 Relay access denied")),
                "the server does not send mail to"
            ),
            (.refused(.recipient, .init(code: 554, text: "554 5.7.1 blocked")), "a rule of the server"),
            (.refused(.content, .init(code: 451, text: "451 later")), "retry in a few minutes"),
            (.refused(.content, .init(code: 554, text: "554 spam")), "the provider rejects the text"),
            (.refused(.startTLS, .init(code: 454, text: "454 later")), "retry in a few minutes"),
            (.refused(.sender, .init(code: 530, text: "530 no")), "the server has accepted the login"),
            (.loginDenied(.init(code: 454, text: "454 later")), "retry in a few minutes"),
            (.loginDenied(.init(code: 535, text: "535 no")), "check username and secret"),
            (.loginDenied(nil), "check username and secret"), (.disconnected(.startTLS), "retry. If it happens again"),
            (.disconnected(.recipient), "retry. If it happens again"),
            (.disconnected(.content), "retry. If it happens again"), (.timedOut(.recipient), "check the network"),
        ] as [(SMTPProblem, String)])
    func remedies(problem: SMTPProblem, beginning: String) throws {
        #expect(Remedy.text(for: problem, job: try job())?.hasPrefix(beginning) == true)
    }

    @Test("Without an account, the remedy of a required login is to set one")
    func noAccount() throws {
        let job = try job(username: nil)
        for reply in ["530 login", "554 relaying denied"] {
            let problem = SMTPProblem.refused(.recipient, .init(code: Int(reply.prefix(3)) ?? 0, text: reply))
            #expect(Remedy.text(for: problem, job: job)?.contains("set username and secret") == true)
        }
    }
}
