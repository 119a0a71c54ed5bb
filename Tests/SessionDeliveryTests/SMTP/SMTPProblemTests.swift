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
        "5xx about the mail is final, 4xx and everything about the server is not",
        arguments: [
            (.sender, 550, .sender, true), (.recipient, 550, .recipient, true), (.data, 554, .content, true),
            (.content, 552, .content, true), (.sender, 450, .sender, false), (.recipient, 451, .recipient, false),
            (.data, 451, .content, false), (.content, 452, .content, false), (.recipient, 421, .response, false),
            (.sender, 530, .authentication, false), (.recipient, 530, .authentication, false),
            (.greeting, 554, .response, false), (.hello, 502, .response, false), (.startTLS, 454, .tls, false),
            (.authentication, 535, .authentication, false), (.authentication, 454, .authentication, false),
        ] as [(SMTPConversation.Step, Int, SendingFailure.Stage, Bool)])
    func replies(step: SMTPConversation.Step, code: Int, stage: SendingFailure.Stage, isFinal: Bool) throws {
        let failure = SendingFailure(stage, "\(code) no")
        let result = SMTPProblem.refused(step, .init(code: code, text: "\(code) no")).result(text, server: try server())
        #expect(result == (isFinal ? .rejected(failure) : .failed(failure)))
    }

    @Test(
        "Other problems name their stage, and only a missing SMTPUTF8 is final",
        arguments: [
            (.cannotConnect("refused"), .connection, false), (.noSTARTTLS, .tls, false), (.notImplicitTLS, .tls, false),
            (.untrustedCertificate("expired"), .tls, false), (.tlsFailed("x"), .tls, false),
            (.noMechanism(offered: [], wanted: ["PLAIN"]), .authentication, false),
            (.loginDenied(nil), .authentication, false), (.noSMTPUTF8, .recipient, true),
            (.disconnected(.data), .response, false), (.timedOut(.recipient), .timeout, false),
            (.cancelled, .timeout, false), (.other("x"), .response, false),
        ] as [(SMTPProblem, SendingFailure.Stage, Bool)])
    func stages(problem: SMTPProblem, stage: SendingFailure.Stage, isFinal: Bool) throws {
        switch problem.result(text, server: try server()) {
        case .accepted: Issue.record("accepted")
        case .rejected(let failure): #expect(failure.stage == stage && isFinal)
        case .failed(let failure): #expect(failure.stage == stage && !isFinal)
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
