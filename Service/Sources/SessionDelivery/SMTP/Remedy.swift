internal import Foundation
internal import SessionDomain

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
