package import SessionDomain
internal import SessionEgress

/// Sends mail to the operator's mail server (RFC 5321, RFC 6409), with TLS and a verified certificate in every case.
package struct SMTPRoute: TestableRoute {
    /// Seconds for one attempt, from the DNS query to the last reply. Waiting for a worker does not count.
    static let timeout = 30
    /// Milliseconds that libcurl gets less, so that it can say what it waited for.
    private static let margin = 300

    package let name = RouteSettings.Kind.smtp.rawValue
    package let channel = OTPLoginConfig.Channel.email

    private let server: SMTPServer
    private let from: MailAddress
    private let secret: RouteSecret?
    private let senderDomains: Set<String>?
    private let dependencies: RouteDependencies

    /// Returns `nil` for settings that `RouteSettings.check` rejects.
    init?(
        _ settings: RouteSettings, secret: RouteSecret?, senderDomains: Set<String>?, in dependencies: RouteDependencies
    ) {
        guard let server = SMTPServer(settings), let from = settings.from.flatMap(MailAddress.init) else { return nil }
        self.server = server
        self.from = from
        self.secret = secret
        self.senderDomains = senderDomains
        self.dependencies = dependencies
    }

    package func send(_ message: OutboundMessage) async -> SendingResult { await report(on: message).result }

    package func report(on message: OutboundMessage) async -> RouteReport {
        do {
            return try await attempt(message)
        } catch {
            return RouteReport(steps: [], result: error.result, remedy: error.remedy)
        }
    }

    private func attempt(_ message: OutboundMessage) async throws(Obstacle) -> RouteReport {
        let mail = try mail(for: message)
        let secret: String?
        do {
            secret = try self.secret?.read()
        } catch {
            throw Obstacle(.failed(error), remedy: "check the path of the file and that the service may read it")
        }
        let started = dependencies.uptime()
        let seconds = min(Self.timeout, Int(message.expiresAt.seconds - dependencies.now().seconds))
        guard seconds > 0 else { throw Obstacle(.failed(SendingFailure(.timeout, "the message has expired"))) }
        let text = ReasonText(
            hiding: server.credentials(with: secret ?? "") + [message.to, mail.recipient], code: message.code)
        do {
            let addresses = try await Deadline.run(seconds: seconds) {
                try await dependencies.pinning.addresses(of: server.host)
            }
            let elapsed = Int(dependencies.uptime() - started)
            let job = SMTPJob(
                server: server, secret: secret, addresses: addresses, trustRoots: dependencies.trustRoots,
                sender: mail.sender, recipient: mail.recipient, mail: mail.bytes,
                timeout: max(seconds * 1000 - elapsed - Self.margin, 100))
            return SMTPReport(job: job, outcome: try await dependencies.workers.send(job), text: text).value
        } catch {
            throw Obstacle(error, host: server.host, text: text)
        }
    }

    private func mail(for message: OutboundMessage) throws(Obstacle) -> (
        sender: String, recipient: String, bytes: [UInt8]
    ) {
        let from = MailAddress.sender(message.senderID, onRouteFrom: self.from, domains: senderDomains)
        guard let to = MailAddress(message.to), to.name == nil else {
            throw Obstacle(.rejected(SendingFailure(.recipient, "the recipient is not a mail address")))
        }
        let mail = MailMessage(
            from: from, to: to, subject: message.subject ?? message.appName, id: message.id, date: dependencies.now(),
            locale: message.locale, text: message.text, html: message.html)
        do throws(MailMessage.InvalidValue) {
            guard let fromDomain = MailDomain.ascii(from.domain), let toDomain = MailDomain.ascii(to.domain) else {
                throw MailMessage.InvalidValue(field: "To", problem: "has a domain that is not a name")
            }
            return ("\(from.localPart)@\(fromDomain)", "\(to.localPart)@\(toDomain)", try mail.rendered())
        } catch {
            throw Obstacle(.rejected(SendingFailure(.content, "\(error.field) \(error.problem)")))
        }
    }
}

/// What ended an attempt before a server could say anything.
private struct Obstacle: Error {
    let result: SendingResult
    let remedy: String?

    init(_ result: SendingResult, remedy: String? = nil) {
        self.result = result
        self.remedy = remedy
    }

    init(_ error: any Error, host: String, text: ReasonText) {
        switch error {
        case let error as EgressError:
            let failure = SendingFailure(error, text: text)
            self.init(.failed(failure), remedy: failure.stage.remedy(host: host))
        case is SMTPWorkers.AllBusy:
            let reason = "no worker was free in \(SMTPWorkers.patience) seconds"
            self.init(.failed(SendingFailure(.timeout, reason, isAbandoned: true)))
        default: self.init(.failed(SendingFailure(.timeout, "the attempt was cancelled", isAbandoned: true)))
        }
    }
}

/// A mail server and the account that this service uses on it.
struct SMTPServer: Sendable, Hashable {
    let host: String
    let port: Int
    let tls: RouteSettings.TLSMode
    /// `nil`: PLAIN or LOGIN, as the server offers.
    let authentication: RouteSettings.Authentication?
    /// `nil`: no authentication.
    let username: String?

    /// The port of submission is 587, that of submission over TLS is 465 (RFC 8314 §3.3).
    init?(_ settings: RouteSettings) {
        guard let host = settings.host else { return nil }
        self.host = host.lowercased()
        tls = settings.tls ?? (settings.port == 465 ? .implicit : .startTLS)
        port = settings.port ?? (tls == .implicit ? 465 : 587)
        authentication = settings.authentication
        username = settings.username
    }

    /// `host:port`, for people.
    var place: String { "\(host):\(port)" }

    /// Whether the host is an IPv6 address. The colon is in no name.
    var isIPv6: Bool { host.contains(":") }

    /// Without a path, libcurl greets with the name of this machine.
    var url: String {
        "\(tls == .implicit ? "smtps" : "smtp")://\(isIPv6 ? "[\(host)]" : host):\(port)"
    }

    /// What must not be shown of a login: the secret, and the responses of PLAIN (RFC 4616 §2) and XOAUTH2, in which servers
    /// get it and which some repeat. LOGIN sends the secret alone.
    func credentials(with secret: String) -> [String] {
        guard let username, !secret.isEmpty else { return [secret] }
        return [secret, "\0\(username)\0\(secret)", "user=\(username)\u{1}auth=Bearer \(secret)\u{1}\u{1}"]
    }

    /// The mechanisms that libcurl may use. It knows others, which servers offer and operators do not expect.
    var loginOptions: String {
        switch authentication {
        case .plain: "AUTH=PLAIN"
        case .login: "AUTH=LOGIN"
        case .xoauth2: "AUTH=XOAUTH2"
        case nil: "AUTH=PLAIN;AUTH=LOGIN"
        }
    }

    /// The mechanisms that are acceptable, as EHLO names them.
    var mechanisms: [String] {
        guard let authentication else { return ["PLAIN", "LOGIN"] }
        return [authentication.rawValue.uppercased()]
    }
}

/// One mail for one recipient, ready for the server.
struct SMTPJob: Sendable {
    let server: SMTPServer
    let secret: String?
    /// The checked addresses of the server, the preferred one first.
    let addresses: [String]
    /// The path of a PEM file with authorities that are trusted in addition to the system's.
    let trustRoots: String?
    let sender: String
    let recipient: String
    let mail: [UInt8]
    /// Milliseconds for the transfer.
    let timeout: Int

    /// Whether an address needs SMTPUTF8 (RFC 6531). Domains are ASCII already.
    var needsSMTPUTF8: Bool { (sender + recipient).utf8.contains { $0 >= 0x80 } }

    /// Returns why a server with these extensions cannot take the mail, or `nil`.
    func unmetRequirement(_ extensions: [String: String]) -> SMTPProblem? {
        if server.username != nil {
            let offered = (extensions["AUTH"] ?? "").uppercased().split(separator: " ").map(String.init)
            guard server.mechanisms.contains(where: offered.contains) else {
                return .noMechanism(offered: offered, wanted: server.mechanisms)
            }
        }
        if needsSMTPUTF8, extensions["SMTPUTF8"] == nil { return .noSMTPUTF8 }
        return nil
    }
}
