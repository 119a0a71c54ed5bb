internal import Foundation
internal import SessionDomain

/// Why a mail was not accepted, as far as this client can tell.
enum SMTPProblem: Error, Sendable, Equatable {
    case cannotConnect(String)
    case noSTARTTLS
    /// The server on the port does not speak TLS from the first byte.
    case notImplicitTLS
    case untrustedCertificate(String)
    case tlsFailed(String)
    case noMechanism(offered: [String], wanted: [String])
    case loginDenied(SMTPConversation.Reply?)
    case noSMTPUTF8
    /// The server replied with an error.
    case refused(SMTPConversation.Step, SMTPConversation.Reply)
    case disconnected(SMTPConversation.Step)
    case timedOut(SMTPConversation.Step)
    case cancelled
    /// libcurl failed in another way.
    case other(String)
}

extension SMTPProblem {
    /// The result for the worker. After an error of 500 or more about this mail, the server is not asked again. Everything
    /// else may pass.
    func result(_ text: ReasonText, server: SMTPServer) -> SendingResult {
        func failure(_ stage: SendingFailure.Stage, _ reason: String) -> SendingFailure {
            SendingFailure(stage, text.clean(reason))
        }
        switch self {
        case .cannotConnect(let reason):
            return .failed(failure(.connection, "no connection to \(server.place): \(reason)"))
        case .noSTARTTLS: return .failed(failure(.tls, "\(server.place) does not offer STARTTLS"))
        case .notImplicitTLS: return .failed(failure(.tls, "\(server.place) does not begin with TLS"))
        case .untrustedCertificate(let reason), .tlsFailed(let reason): return .failed(failure(.tls, reason))
        case .noMechanism(let offered, let wanted):
            let names = offered.isEmpty ? "no authentication" : offered.joined(separator: ", ")
            return .failed(
                failure(
                    .authentication, "the server offers \(names), and \(wanted.joined(separator: " or ")) is configured"
                ))
        case .loginDenied(let reply):
            return .failed(failure(.authentication, reply?.text ?? "the server rejected the credentials"))
        case .noSMTPUTF8:
            return .rejected(failure(.recipient, "the server does not support international addresses (SMTPUTF8)"))
        case .refused(let step, let reply): return Self.result(step, reply, failure)
        case .disconnected(let step):
            return .failed(failure(.response, "the server closed the connection \(step.waiting)"))
        case .timedOut(let step): return .failed(failure(.timeout, "no answer in time \(step.waiting)"))
        case .cancelled: return .failed(failure(.timeout, "the attempt was cancelled"))
        case .other(let reason): return .failed(failure(.response, reason))
        }
    }

    private static func result(
        _ step: SMTPConversation.Step, _ reply: SMTPConversation.Reply,
        _ failure: (SendingFailure.Stage, String) -> SendingFailure
    ) -> SendingResult {
        // 421: the server closes the connection and may say so after any command (RFC 5321 §3.8).
        guard reply.code >= 500 else { return .failed(failure(reply.code == 421 ? .response : step.stage, reply.text)) }
        switch step {
        case .sender, .recipient, .data, .content: break
        case .greeting, .hello, .startTLS, .authentication: return .failed(failure(step.stage, reply.text))
        }
        // The server wants authentication, which the operator can configure.
        if reply.wantsAuthentication { return .failed(failure(.authentication, reply.text)) }
        guard step == .recipient else { return .rejected(failure(step.stage, reply.text)) }
        let stage: SendingFailure.Stage = reply.concernsSender ? .sender : .recipient
        let refusal = failure(stage, reply.text)
        guard reply.saysUnknownRecipient else { return .rejected(refusal) }
        return .rejected(SendingFailure(refusal.stage, refusal.reason, finding: .unknownRecipient))
    }
}

extension SMTPConversation.Step {
    var stage: SendingFailure.Stage {
        switch self {
        case .greeting, .hello: .response
        case .startTLS: .tls
        case .authentication: .authentication
        case .sender: .sender
        case .recipient: .recipient
        case .data, .content: .content
        }
    }

    /// What the client was doing, to complete "no answer …".
    var waiting: String {
        switch self {
        case .greeting: "before the greeting"
        case .hello: "after EHLO"
        case .startTLS: "during STARTTLS"
        case .authentication: "during AUTH"
        case .sender: "after MAIL"
        case .recipient: "after RCPT"
        case .data: "after DATA"
        case .content: "after the mail was sent"
        }
    }
}

/// What an operator can do about a failure of a mail server, in words.
enum Remedy {
    static func text(for problem: SMTPProblem, job: SMTPJob) -> String? {
        let server = job.server
        switch problem {
        case .cannotConnect:
            let advice =
                server.port == 25 ? "; many networks block port 25: use port 587, or 465 with tls implicit" : ""
            return "check host and port, and that a firewall lets this machine connect to \(server.place)\(advice)"
        case .noSTARTTLS:
            return server.port == 587
                ? "ask for TLS on this server, or use port 465 with tls implicit"
                : "use port 587, or port 465 with tls implicit"
        case .notImplicitTLS:
            return server.port == 465
                ? "check the server: port 465 must begin with TLS. Or use port 587 with tls starttls"
                : "set tls to starttls, or use port 465"
        case .timedOut(.greeting) where server.tls == .startTLS:
            return "the port may expect TLS from the first byte: set tls to implicit, or use port 587"
        case .untrustedCertificate(let reason): return certificate(reason, host: server.host)
        case .tlsFailed:
            return "check that the server supports TLS 1.2 or later, and that the file of --egress-trust-roots has the "
                + "authority of its certificate"
        case .noMechanism(let offered, _):
            let known = RouteSettings.Authentication.allCases.map(\.rawValue)
                .filter { offered.contains($0.uppercased()) }
            return known.isEmpty
                ? "remove username and secret if the server needs none, or use its port for submission, 587 or 465"
                : "set auth to \(known.joined(separator: " or "))"
        case .loginDenied(let reply?) where reply.code < 500: return temporary(reply)
        case .loginDenied:
            return server.authentication == .xoauth2
                ? "the token may have expired: renew it, and name its file as the secret"
                : "check username and secret; some providers need a password for apps"
        case .noSMTPUTF8: return "use a server that supports SMTPUTF8, or another address"
        case .refused(_, let reply) where reply.code < 500: return temporary(reply)
        case .refused(_, let reply) where reply.code == 530:
            return server.username == nil
                ? "set username and secret: the server requires a login"
                : "the server has accepted the login and requires another one: ask its operator what the account needs"
        case .refused(.recipient, let reply) where refusesRelay(reply):
            return "the server does not send mail to other servers for this client: "
                + (server.username == nil
                    ? "set username and secret, or allow this machine there"
                    : "use its port for submission, 587 or 465, or allow the account there")
        case .refused(.recipient, let reply) where reply.text.contains(" 5.7."):
            // Security and policy (RFC 3463 §3.8).
            return
                "a rule of the server rejects the mail: check the account, the sender and the address of this machine"
        case .refused(let step, _): return step.stage.remedy(host: server.host)
        case .timedOut: return SendingFailure.Stage.timeout.remedy(host: server.host)
        case .disconnected:
            return
                "retry. If it happens again, see the log of \(server.host): servers close connections of clients that "
                + "they limit or do not allow"
        case .cancelled, .other: return nil
        }
    }

    /// 4xx (RFC 5321 §4.2.1). The service sends such a message again by itself.
    private static func temporary(_ reply: SMTPConversation.Reply) -> String {
        "retry in a few minutes: \(reply.code) is a temporary error of the server"
    }

    /// No code says this alone, but all common servers use the word.
    private static func refusesRelay(_ reply: SMTPConversation.Reply) -> Bool {
        reply.text.lowercased().contains("relay")
    }

    private static func certificate(_ reason: String, host: String) -> String {
        if reason.contains("expired") { return "renew the certificate of \(host)" }
        if reason.contains("subject name") || reason.contains("does not match") {
            return "use the name that the certificate has, or get a certificate for \(host)"
        }
        return "if the authority is your own, name its certificate with --egress-trust-roots"
    }
}

/// Describes an attempt at a mail server for people.
struct SMTPReport {
    let job: SMTPJob
    let outcome: SMTPWorker.Outcome
    let text: ReasonText

    var value: RouteReport {
        guard let problem = outcome.problem else {
            let reply = outcome.conversation.replies[.content]?.text ?? ""
            let reference = text.clean(reply)
            return RouteReport(
                steps: steps, result: .accepted(reference: reference.isEmpty ? nil : reference), remedy: nil)
        }
        // Before the mail itself, the server has nothing.
        if problem == .cancelled, outcome.conversation.step != .content {
            let failure = SendingFailure(.timeout, "the attempt was cancelled", isAbandoned: true)
            return RouteReport(steps: steps, result: .failed(failure), remedy: nil)
        }
        return RouteReport(
            steps: steps, result: problem.result(text, server: job.server),
            remedy: Remedy.text(for: problem, job: job))
    }

    private var steps: [RouteReport.Step] {
        let (conversation, server) = (outcome.conversation, job.server)
        var steps: [RouteReport.Step] = [
            .init(.nameResolution, "\(server.host) is \(job.addresses.joined(separator: ", "))")
        ]
        guard !conversation.replies.isEmpty || outcome.problem == nil else { return steps }
        steps.append(
            .init(.connection, "connected to \(server.place)\(outcome.isReused ? ", on an open connection" : "")"))
        guard hasTLS else { return steps }
        let way = server.tls == .implicit ? "from the first byte" : "after STARTTLS"
        steps.append(.init(.tls, "\(way), and the certificate is valid for \(server.host)"))
        if let user = server.username, isPast(.authentication) {
            steps.append(.init(.authentication, "signed in as \(user)"))
        }
        if isPast(.sender) { steps.append(.init(.sender, "the server accepts mail from \(job.sender)")) }
        if isPast(.recipient) { steps.append(.init(.recipient, "the server accepts mail to \(job.recipient)")) }
        if outcome.problem == nil { steps.append(.init(.content, "the server has accepted the mail")) }
        return steps
    }

    /// The first step after TLS is EHLO; with STARTTLS there is another one before.
    private var hasTLS: Bool {
        switch outcome.problem {
        case .noSTARTTLS, .notImplicitTLS, .untrustedCertificate, .tlsFailed, .cannotConnect, .timedOut(.startTLS),
            .disconnected(.startTLS), .refused(.startTLS, _), .timedOut(.greeting), .refused(.greeting, _):
            false
        default: outcome.isReused || job.server.tls == .implicit || outcome.conversation.replies[.startTLS] != nil
        }
    }

    /// 3xx asks for more, such as the challenge of AUTH (RFC 5321 §4.2.1).
    private func isPast(_ step: SMTPConversation.Step) -> Bool {
        outcome.problem == nil || outcome.conversation.replies[step].map { (200..<300).contains($0.code) } == true
    }
}
