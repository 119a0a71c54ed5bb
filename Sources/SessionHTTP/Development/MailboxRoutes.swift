import HTTPTypes
import Hummingbird
import NIOCore
import SessionDomain

/// Shows the mailbox as JSON for scripts and as a page for people. In development mode only.
struct MailboxRoutes: Sendable {
    let mailbox: Mailbox

    private struct Message: Encodable {
        let channel: String
        let to: String
        let code: String
        let text: String
        let sentAt: String

        private enum CodingKeys: String, CodingKey {
            case channel, to, code, text
            case sentAt = "sent_at"
        }

        init(_ message: CodeMessage) {
            channel = message.channel.rawValue
            to = message.to
            code = message.code
            text = message.text
            sentAt = message.sentAt.rfc3339
        }
    }

    @Sendable func list(_ request: Request, context: ServiceRequestContext) async throws -> Response {
        try .json(mailbox.messages.map(Message.init))
    }

    @Sendable func page(_ request: Request, context: ServiceRequestContext) async throws -> Response {
        let rows = mailbox.messages.map { message in
            "<tr><td>\(Self.escape(message.sentAt.rfc3339))<td>\(message.channel.rawValue)"
                + "<td>\(Self.escape(message.to))<td><b>\(message.code)</b></tr>"
        }
        let table =
            rows.isEmpty
            ? "<p>No code was sent yet.</p>"
            : "<table><tr><th>Sent<th>By<th>To<th>Code</tr>\(rows.joined())</table>"
        let page = """
            <!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="2">
            <title>Mailbox</title><style>body{font:16px system-ui;margin:3rem auto;max-width:44rem}
            table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.5rem;border-bottom:1px solid #ddd}
            b{font:1.25em ui-monospace,monospace}</style><h1>Mailbox</h1>
            <p>Codes that this development service would have sent.</p>\(table)
            """
        var response = Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: page)))
        response.headers[.contentType] = "text/html; charset=utf-8"
        response.headers.set("content-security-policy", to: "default-src 'none'; style-src 'unsafe-inline'")
        return response
    }

    private static func escape(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}
