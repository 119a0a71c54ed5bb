internal import Foundation
internal import SessionDomain

/// What an operator can do about a failure, in words.
enum Remedy {
    /// For every route.
    static func text(for failure: SendingFailure, host: String) -> String? {
        switch failure.stage {
        case .nameResolution: "check the spelling of \(host) and the name servers of this machine"
        case .addressRules:
            "only public addresses are called. If the server is yours, allow its network with --egress-network"
        case .connection: "check that \(host) is running and that a firewall lets this machine connect to it"
        case .tls: "check that the certificate is valid for \(host); name your own authority with --egress-trust-roots"
        case .authentication: "check the account and the secret of the route"
        case .sender: "use a sender that the account may use"
        case .recipient: "check the recipient: the route will not deliver to it"
        case .content: "the provider rejects the text: check its templates and its filters"
        case .response: "retry later, and see the status page of the provider"
        case .timeout: "check the network between this machine and \(host), and retry"
        }
    }

    /// For a mail server.
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
        case .notImplicitTLS: return "set tls to starttls, or use port 465"
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
        case .loginDenied:
            return server.authentication == .xoauth2
                ? "the token may have expired: renew it, and name its file as the secret"
                : "check username and secret; some providers need a password for apps"
        case .noSMTPUTF8: return "use a server that supports SMTPUTF8, or another address"
        case .refused(_, let reply) where reply.code == 530:
            return "set username and secret: the server requires a login"
        case .refused(let step, _), .timedOut(let step), .disconnected(let step):
            return text(for: SendingFailure(isTimeout(problem) ? .timeout : step.stage, ""), host: server.host)
        case .cancelled, .other: return nil
        }
    }

    private static func isTimeout(_ problem: SMTPProblem) -> Bool {
        if case .timedOut = problem { true } else { false }
    }

    private static func certificate(_ reason: String, host: String) -> String {
        if reason.contains("expired") { return "renew the certificate of \(host)" }
        if reason.contains("subject name") || reason.contains("does not match") {
            return "use the name that the certificate has, or get a certificate for \(host)"
        }
        return "if the authority is your own, name its certificate with --egress-trust-roots"
    }
}
