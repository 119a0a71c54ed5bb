import HTTPTypes
import Hummingbird
import NIOCore
package import SessionDomain
import SessionTokens
import Synchronization

/// Keeps the newest messages in memory instead of sending them. For development.
package final class Mailbox: Sendable {
    /// The most messages that are kept. The oldest one is dropped.
    package static let capacity = 100

    /// A message with the time at which it arrived.
    package struct Entry: Sendable, Equatable {
        package let message: OutboundMessage
        package let sentAt: Timestamp
    }

    private let now: @Sendable () -> Timestamp
    private let kept = Mutex<[Entry]>([])

    /// - Parameter now: The clock of the service.
    package init(now: @escaping @Sendable () -> Timestamp) { self.now = now }

    package func keep(_ message: OutboundMessage) {
        let entry = Entry(message: message, sentAt: now())
        kept.withLock { kept in
            kept.insert(entry, at: 0)
            if kept.count > Self.capacity { kept.removeLast() }
        }
    }

    /// Newest first.
    package var entries: [Entry] { kept.withLock { $0 } }

    /// Newest first, without the times.
    package var messages: [OutboundMessage] { entries.map(\.message) }

    /// A route for each channel.
    package var routes: [any MessageRoute] {
        OTPLoginConfig.Channel.allCases.map { MailboxRoute(mailbox: self, channel: $0) }
    }
}

/// Delivers the messages of one channel to the mailbox.
struct MailboxRoute: MessageRoute {
    let mailbox: Mailbox
    let channel: OTPLoginConfig.Channel

    let name = "mailbox"

    func send(_ message: OutboundMessage) async -> SendingResult {
        mailbox.keep(message)
        return .accepted(reference: nil)
    }
}

/// Shows the mailbox as JSON for scripts and as a page for people. In development mode only.
struct MailboxRoutes: Sendable {
    let mailbox: Mailbox
    let worker: OutboxWorker<MessageOutbox>

    @Sendable func list(_ request: Request, context: ServiceRequestContext) async throws -> Response {
        try await deliver()
        return try .json(mailbox.entries.map(MailboxMessageBody.init))
    }

    @Sendable func page(_ request: Request, context: ServiceRequestContext) async throws -> Response {
        try await deliver()
        let html = MailboxPage.html(mailbox.entries)
        var response = Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
        response.headers[.contentType] = "text/html; charset=utf-8"
        response.headers.set(.contentSecurityPolicy, to: MailboxPage.contentSecurityPolicy)
        return response
    }

    /// Delivers what was queued, so that a script finds the code of a call that has just returned.
    private func deliver() async throws {
        try await worker.deliverDue()
        await worker.settle()
    }
}

/// A message of the mailbox in JSON.
private struct MailboxMessageBody: Encodable {
    let channel: String
    let purpose: String
    let to: String
    let locale: String
    /// Missing in a notice.
    let code: String?
    /// Missing in an SMS.
    let subject: String?
    let text: String
    let sentAt: String

    private enum CodingKeys: String, CodingKey {
        case channel, purpose, to, locale, code, subject, text
        case sentAt = "sent_at"
    }

    init(_ entry: Mailbox.Entry) {
        let message = entry.message
        channel = message.channel.rawValue
        purpose = message.purpose.rawValue
        to = message.to
        locale = message.locale
        code = message.code
        subject = message.subject
        text = message.text
        sentAt = entry.sentAt.rfc3339
    }
}

/// The mailbox as an HTML page that reloads every 2 seconds.
enum MailboxPage {
    /// Forbids scripts and every external resource.
    static let contentSecurityPolicy = "default-src 'none'; style-src 'unsafe-inline'"

    static func html(_ entries: [Mailbox.Entry]) -> String {
        """
        <!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="2">
        <title>Mailbox</title><style>body{font:16px system-ui;margin:3rem auto;max-width:44rem}
        table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.5rem;border-bottom:1px solid #ddd}
        b{font:1.25em ui-monospace,monospace}</style><h1>Mailbox</h1>
        <p>Codes that this development service would have sent.</p>\(table(entries))
        """
    }

    private static func table(_ entries: [Mailbox.Entry]) -> String {
        guard !entries.isEmpty else { return "<p>No code was sent yet.</p>" }
        let rows = entries.map { entry in
            "<tr><td>\(escape(entry.sentAt.rfc3339))<td>\(entry.message.channel.rawValue)"
                + "<td>\(escape(entry.message.to))<td>\(content(entry.message))</tr>"
        }
        return "<table><tr><th>Sent<th>By<th>To<th>Code</tr>\(rows.joined())</table>"
    }

    /// The code, or the text of a message without one.
    private static func content(_ message: OutboundMessage) -> String {
        message.code.map { "<b>\(escape($0))</b>" } ?? escape(message.text)
    }

    private static func escape(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}

/// Allows the mailbox under loopback names and configured hosts only.
///
/// An attacker can resolve their own name to a loopback address (DNS rebinding). Their page then has the same origin as
/// the mailbox, but it cannot change the name in `Host`.
struct MailboxHostMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    let directory: AppDirectory

    func handle(
        _ request: Request, context: ServiceRequestContext,
        next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        guard let authority = request.head.authority, let host = TargetURI("http://\(authority)")?.host,
            try await isAllowed(host)
        else {
            throw Refusal.forbidden(
                "the mailbox is available under localhost, loopback addresses, --public-url and domains of apps only"
            )
        }
        return try await next(request, context)
    }

    private func isAllowed(_ host: String) async throws -> Bool {
        if IPNetwork.isLoopback(host: host) { return true }
        return try await directory.isConfigured(host: host)
    }
}
