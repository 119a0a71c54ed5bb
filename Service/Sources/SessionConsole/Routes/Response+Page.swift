import HTTPTypes
import Hummingbird
import NIOCore

/// The responses of the console.
extension Response {
    /// No scripts, no styles, pictures and frames of other servers, and no page that shows the console in a frame.
    static let consolePolicy =
        "default-src 'none'; style-src 'self'; img-src 'self'; frame-src 'self'; form-action 'self'; "
        + "frame-ancestors 'none'; base-uri 'none'"

    static func page(_ page: Page, of visit: Visit) -> Response {
        var response = console(page.status, Frame.html(page, of: visit), script: page.script)
        if let seconds = page.retryAfter { response.headers[.retryAfter] = String(seconds) }
        return response
    }

    static func console(_ status: HTTPResponse.Status, _ html: HTML, script: PageScript? = nil) -> Response {
        var response = Response(
            status: status, headers: [.contentType: "text/html; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: HTML.document(html))))
        response.addConsoleHeaders(script: script)
        return response
    }

    static func redirect(to path: ConsolePath) -> Response {
        var response = Response(status: .seeOther, headers: [.location: path.text])
        response.addConsoleHeaders()
        return response
    }

    /// Adds the headers of all responses of the console. A response that has a policy of its own keeps it.
    mutating func addConsoleHeaders(script: PageScript? = nil) {
        if headers[.contentSecurityPolicy] == nil {
            headers[.contentSecurityPolicy] = Self.consolePolicy + (script?.policy ?? "")
        }
        headers[.crossOriginOpenerPolicy] = "same-origin"
        // With `no-referrer`, browsers send forms with the origin `null`.
        headers[.referrerPolicy] = "same-origin"
    }
}

extension HTTPField.Name {
    fileprivate static let crossOriginOpenerPolicy = known("Cross-Origin-Opener-Policy")
    fileprivate static let referrerPolicy = known("Referrer-Policy")
    static let secFetchSite = known("Sec-Fetch-Site")

    private static func known(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) is not the name of a header") }
        return name
    }
}
