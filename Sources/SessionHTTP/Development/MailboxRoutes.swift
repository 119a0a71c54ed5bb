import HTTPTypes
import Hummingbird
import NIOCore

/// Shows the mailbox as JSON for scripts and as a page for people. In development mode only.
@available(service, *)
struct MailboxRoutes: Sendable {
    let mailbox: Mailbox

    @Sendable func list(_ request: Request, context: ServiceRequestContext) async throws -> Response {
        try .json(mailbox.messages.map(MailboxMessageBody.init))
    }

    @Sendable func page(_ request: Request, context: ServiceRequestContext) async throws -> Response {
        let html = MailboxPage.html(mailbox.messages)
        var response = Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
        response.headers[.contentType] = "text/html; charset=utf-8"
        response.headers.set("Content-Security-Policy", to: MailboxPage.contentSecurityPolicy)
        return response
    }
}
