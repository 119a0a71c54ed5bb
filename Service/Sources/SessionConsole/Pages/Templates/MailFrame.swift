import Hummingbird
import NIOCore
import SessionDomain

/// The HTML part of a mail, for a frame of the page of its template.
///
/// A mail has its styles in the elements, which the policy of the console forbids. So it is a document of its own: it can run
/// no script, load nothing, send nothing, and has no access to the console, whose pages alone may show it.
enum MailFrame {
    static let policy =
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox"

    /// Bytes of an address that every browser and proxy accepts.
    private static let maximumAddress = 7000

    /// - Parameter text: A text that is not stored. `nil`: the stored one is shown.
    /// - Returns: `nil` for texts that are too long for an address.
    static func path(below template: ConsolePath, subject: String?, text: String?) -> ConsolePath? {
        let path = (template / "mail").query(["subject": subject, "text": text])
        return path.text.utf8.count > maximumAddress ? nil : path
    }

    @Sendable static func show(_ visit: AppVisit) async throws -> Response {
        let key = try visit.templateKey
        guard key.channel == .email else { throw Refusal.notFound("an SMS has no HTML part") }
        let query = visit.visit.query
        let preview = try await visit.service.templates.preview(
            key, subject: query.filled("subject"), text: query.text("text"), app: visit.app.id)
        return Response(
            status: .ok, headers: [.contentType: "text/html; charset=utf-8", .contentSecurityPolicy: policy],
            body: ResponseBody(byteBuffer: ByteBuffer(string: preview.message.html ?? "")))
    }
}
