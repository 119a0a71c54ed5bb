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
    /// The result for the courier. After an error of 500 or more about this mail, the server is not asked again. Everything
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
