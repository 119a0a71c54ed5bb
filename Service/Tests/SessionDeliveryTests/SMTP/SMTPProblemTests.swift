import SessionDomain
import Testing

@testable import SessionDelivery

@Suite("Results of attempts at mail servers")
struct SMTPProblemTests {
    private let text = ReasonText(hiding: [], code: nil)

    private func server() throws -> SMTPServer {
        guard let server = SMTPServer(RouteSettings(kind: .smtp, host: "mail.example.com", port: 25)) else {
            throw TestFailure()
        }
        return server
    }

    @Test(
        "5xx about the mail is not repeated, 4xx and everything about the server is",
        arguments: [
            (.sender, 550, .sender, true), (.recipient, 550, .recipient, true), (.data, 554, .content, true),
            (.content, 552, .content, true), (.sender, 450, .sender, false), (.recipient, 451, .recipient, false),
            (.data, 451, .content, false), (.content, 452, .content, false), (.recipient, 421, .response, false),
            (.sender, 530, .authentication, false), (.recipient, 530, .authentication, false),
            (.greeting, 554, .response, false), (.hello, 502, .response, false), (.startTLS, 454, .tls, false),
            (.authentication, 535, .authentication, false), (.authentication, 454, .authentication, false),
        ] as [(SMTPConversation.Step, Int, SendingFailure.Stage, Bool)])
    func replies(step: SMTPConversation.Step, code: Int, stage: SendingFailure.Stage, isRejected: Bool) throws {
        let failure = SendingFailure(stage, "\(code) no")
        let result = SMTPProblem.refused(step, .init(code: code, text: "\(code) no")).result(text, server: try server())
        #expect(result == (isRejected ? .rejected(failure) : .failed(failure)))
    }

    // Proves: M9
    @Test(
        "Only a recipient that the enhanced code calls unknown is final for all servers",
        arguments: [
            (.recipient, "550 5.1.1 no such user", "final recipient"), (.recipient, "550 5.1.2 x", "final recipient"),
            (.recipient, "553 5.1.3 x", "final recipient"), (.recipient, "551 5.1.6 moved", "final recipient"),
            (.recipient, "556 5.1.10 null MX", "final recipient"), (.recipient, "550 5.2.1 x", "final recipient"),
            (.recipient, "550 no such user", "rejected recipient"),
            (.recipient, "550 5.2.2 full", "rejected recipient"),
            (.recipient, "550 5.1.100 x", "rejected recipient"), (.recipient, "550 5.1.1. x", "rejected recipient"),
            (.recipient, "550 4.1.1 x", "rejected recipient"), (.recipient, "550 5.1.x x", "rejected recipient"),
            (.recipient, "550 see 5.1.1", "rejected recipient"), (.recipient, "553 5.6.7 x", "rejected recipient"),
            (.recipient, "554 5.7.1 Relay access denied", "rejected sender"),
            (.recipient, "550 5.7.1 Client host blocked", "rejected sender"),
            (.recipient, "553 5.7.1 Sender address rejected", "rejected sender"),
            (.recipient, "550 5.7.26 unauthenticated mail", "rejected sender"),
            (.recipient, "550 5.1.8 x", "rejected sender"), (.recipient, "550 5.1.7 x", "rejected sender"),
            (.recipient, "530 5.7.0 log in", "failed authentication"),
            (.recipient, "550 5.7.8 log in", "failed authentication"),
            (.sender, "534 5.7.9 too weak", "failed authentication"), (.sender, "550 5.1.1 x", "rejected sender"),
            (.content, "554 5.7.1 spam", "rejected content"), (.recipient, "450 5.1.1 x", "failed recipient"),
        ] as [(SMTPConversation.Step, String, String)])
    func recipients(step: SMTPConversation.Step, reply: String, expected: String) throws {
        let code = try #require(Int(reply.prefix(3)))
        let result = SMTPProblem.refused(step, .init(code: code, text: reply)).result(text, server: try server())
        let failure = try #require(result.failure)
        let isFinal = failure.finding == .unknownRecipient
        let kind = result == .failed(failure) ? "failed" : isFinal ? "final" : "rejected"
        #expect("\(kind) \(failure.stage.rawValue)" == expected)
        #expect(failure.reason == reply)
    }

    @Test("An IPv6 address is in brackets in the URL")
    func literals() throws {
        let server = SMTPServer(RouteSettings(kind: .smtp, host: "2001:DB8::1", port: 25))
        #expect(server?.isIPv6 == true && server?.url == "smtp://[2001:db8::1]:25")
        #expect(try self.server().isIPv6 == false)
    }

    @Test(
        "Other problems name their stage, and only a missing SMTPUTF8 is not repeated",
        arguments: [
            (.cannotConnect("refused"), .connection, false), (.noSTARTTLS, .tls, false), (.notImplicitTLS, .tls, false),
            (.untrustedCertificate("expired"), .tls, false), (.tlsFailed("x"), .tls, false),
            (.noMechanism(offered: [], wanted: ["PLAIN"]), .authentication, false),
            (.loginDenied(nil), .authentication, false), (.noSMTPUTF8, .recipient, true),
            (.disconnected(.data), .response, false), (.timedOut(.recipient), .timeout, false),
            (.cancelled, .timeout, false), (.other("x"), .response, false),
        ] as [(SMTPProblem, SendingFailure.Stage, Bool)])
    func stages(problem: SMTPProblem, stage: SendingFailure.Stage, isRejected: Bool) throws {
        switch problem.result(text, server: try server()) {
        case .accepted: Issue.record("accepted")
        case .rejected(let failure): #expect(failure.stage == stage && isRejected && failure.finding == nil)
        case .failed(let failure): #expect(failure.stage == stage && !isRejected)
        }
    }

    @Test(
        "A server takes a mail only if it has the mechanism and the extension that the mail needs",
        arguments: [
            ("alice@example.com", ["AUTH": "LOGIN PLAIN"], nil),
            ("alice@example.com", ["AUTH": "XOAUTH2"], .noMechanism(offered: ["XOAUTH2"], wanted: ["PLAIN", "LOGIN"])),
            ("alice@example.com", [:], .noMechanism(offered: [], wanted: ["PLAIN", "LOGIN"])),
            ("jürgen@example.com", ["AUTH": "PLAIN"], .noSMTPUTF8),
            ("jürgen@example.com", ["AUTH": "PLAIN", "SMTPUTF8": ""], nil),
        ] as [(String, [String: String], SMTPProblem?)])
    func requirements(recipient: String, extensions: [String: String], problem: SMTPProblem?) throws {
        let settings = RouteSettings(kind: .smtp, host: "mail.example.com", username: "u")
        guard let server = SMTPServer(settings) else { throw TestFailure() }
        let job = SMTPJob(
            server: server, secret: "p", addresses: [], trustRoots: nil, sender: "a@example.com", recipient: recipient,
            mail: [], timeout: 1)
        #expect(job.unmetRequirement(extensions) == problem)
    }

    @Test(
        "Port and TLS complete each other",
        arguments: [
            (nil, nil, 587, .startTLS), (465, nil, 465, .implicit), (nil, .implicit, 465, .implicit),
            (25, nil, 25, .startTLS), (2465, .implicit, 2465, .implicit), (465, .startTLS, 465, .startTLS),
        ] as [(Int?, RouteSettings.TLSMode?, Int, RouteSettings.TLSMode)])
    func defaults(port: Int?, tls: RouteSettings.TLSMode?, usedPort: Int, usedTLS: RouteSettings.TLSMode) throws {
        let server = SMTPServer(RouteSettings(kind: .smtp, host: "MAIL.example.com", port: port, tls: tls))
        #expect(server?.port == usedPort)
        #expect(server?.tls == usedTLS)
        #expect(server?.host == "mail.example.com")
    }
}
