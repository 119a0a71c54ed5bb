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
    private let surroundings: RouteSurroundings

    /// Returns `nil` for settings that `RouteSettings.check` rejects.
    init?(
        _ settings: RouteSettings, secret: RouteSecret?, senderDomains: Set<String>?, in surroundings: RouteSurroundings
    ) {
        guard let server = SMTPServer(settings), let from = settings.from.flatMap(MailAddress.init) else { return nil }
        self.server = server
        self.from = from
        self.secret = secret
        self.senderDomains = senderDomains
        self.surroundings = surroundings
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
        let started = surroundings.uptime()
        let seconds = min(Self.timeout, Int(message.expiresAt.seconds - surroundings.now().seconds))
        guard seconds > 0 else { throw Obstacle(.failed(SendingFailure(.timeout, "the message has expired"))) }
        let text = ReasonText(
            hiding: server.credentials(with: secret ?? "") + [message.to, mail.recipient], code: message.code)
        do {
            let addresses = try await Deadline.run(seconds: seconds) {
                try await surroundings.pinning.addresses(of: server.host)
            }
            let elapsed = Int(surroundings.uptime() - started)
            let job = SMTPJob(
                server: server, secret: secret, addresses: addresses, trustRoots: surroundings.trustRoots,
                sender: mail.sender, recipient: mail.recipient, mail: mail.bytes,
                timeout: max(seconds * 1000 - elapsed - Self.margin, 100))
            return SMTPReport(job: job, outcome: try await surroundings.workers.send(job), text: text).value
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
            from: from, to: to, subject: message.subject ?? message.appName, id: message.id, date: surroundings.now(),
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
