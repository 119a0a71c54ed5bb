import SessionDomain

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
