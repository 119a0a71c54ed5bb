import HTTPTypes
import Hummingbird
import NIOCore
import SessionDomain

/// Shows the mailbox as JSON for scripts and as a page for people. In development mode only.
struct MailboxRoutes: Sendable {
    let mailbox: Mailbox
    let courier: Courier<MessageOutbox>

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
        try await courier.deliverDue()
        await courier.settle()
    }
}
