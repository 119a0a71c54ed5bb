/// The HTML part of a mail: the same text, with the code in large digits.
///
/// It has no links, images, scripts, fonts or other resources from elsewhere. Styles are inline, because mail programs drop
/// others; those in the head only change colours for a dark screen. Every value is escaped.
struct HTMLMail: Sendable {
    let locale: MessageLocale
    let subject: String
    let text: String
    /// The paragraph with this text alone is shown large.
    let code: String?

    var html: String {
        """
        <!DOCTYPE html>
        <html lang="\(escaped(locale.tag))" dir="\(isRightToLeft ? "rtl" : "ltr")">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="supported-color-schemes" content="light dark">
        <meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
        <title>\(escaped(subject))</title>
        <style>
        :root { color-scheme: light dark; }
        @media (prefers-color-scheme: dark) {
        .page { background-color: #15171a !important; }
        .card { background-color: #212429 !important; color: #f1f3f5 !important; }
        .code { background-color: #343a40 !important; color: #ffffff !important; }
        }
        </style>
        </head>
        <body class="page" style="margin: 0; padding: 0; background-color: #f1f3f5;">
        <table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" \
        style="background-color: #f1f3f5;"><tr><td align="center" style="padding: 24px 12px;">
        <table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width: 480px;"><tr>
        <td class="card" align="\(isRightToLeft ? "right" : "left")" style="padding: 28px 24px 12px 24px; \
        border-radius: 12px; background-color: #ffffff; color: #212529; font-family: -apple-system, \
        BlinkMacSystemFont, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Hiragino Sans', 'Noto Sans', \
        'Noto Sans CJK JP', sans-serif; font-size: 16px; line-height: 1.5; overflow-wrap: anywhere;">
        \(paragraphs.map(paragraph).joined(separator: "\n"))
        </td>
        </tr></table>
        </td></tr></table>
        </body>
        </html>

        """
    }

    /// Texts between empty lines.
    private var paragraphs: [[Substring]] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .split { line in line.allSatisfy(\.isWhitespace) }.map(Array.init)
    }

    private func paragraph(_ lines: [Substring]) -> String {
        let content = lines.map { escaped(String($0)) }.joined(separator: "<br>\n")
        guard let code, lines.count == 1, lines[0] == code else {
            return "<p style=\"margin: 0 0 16px 0;\">\(content)</p>"
        }
        return """
            <p class="code" dir="ltr" style="margin: 0 0 16px 0; padding: 14px 8px; border-radius: 8px; background-color: \
            #e9ecef; color: #212529; font-family: ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; font-size: \
            28px; font-weight: 600; line-height: 1.3; letter-spacing: 3px; text-align: center;">\(content)</p>
            """
    }

    private func escaped(_ text: String) -> String {
        // By scalar: a character can be a sign of HTML with a combining mark.
        text.unicodeScalars.reduce(into: "") { html, scalar in
            switch scalar {
            case "&": html += "&amp;"
            case "<": html += "&lt;"
            case ">": html += "&gt;"
            case "\"": html += "&quot;"
            case "'": html += "&#39;"
            default: html.unicodeScalars.append(scalar)
            }
        }
    }

    /// Languages that are written from right to left.
    private var isRightToLeft: Bool {
        let language = locale.tag.prefix { $0 != "-" }
        return ["ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"].contains(language)
    }
}
