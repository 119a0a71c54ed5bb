import HTTPTypes
import Hummingbird
import NIOCore
import SessionDomain
import SessionHTTP

/// The content of one page, without the frame that all pages share.
struct Page: Sendable {
    let title: String
    /// The app that the page is about, for the navigation.
    var app: App?
    var section: Section?
    /// The page above this one.
    var parent: (title: String, path: ConsolePath)?
    var status = HTTPResponse.Status.ok
    /// Seconds after which a request that was limited can succeed.
    var retryAfter: Int?
    /// Why the form of this page was refused.
    var problem: Problem?
    /// The script of this page. Most pages have none.
    var script: PageScript?
    let content: HTML

    init(
        _ title: String, app: App? = nil, section: Section? = nil, parent: (title: String, path: ConsolePath)? = nil,
        @HTMLBuilder content: () -> HTML
    ) {
        self.title = title
        self.app = app
        self.section = section
        self.parent = parent
        self.content = content()
    }

    /// The sections of an app, in the order of the navigation.
    enum Section: String, CaseIterable {
        case overview = ""
        case users, events, webhooks, keys, logins, sessions, settings
        case stepUp = "step-up"
        case claims, delivery, templates, playground

        var title: String {
            switch self {
            case .overview: "Overview"
            case .users: "Users"
            case .events: "Audit trail"
            case .webhooks: "Webhooks"
            case .keys: "Keys"
            case .logins: "Logins"
            case .sessions: "Sessions"
            case .settings: "Settings"
            case .stepUp: "Step-up"
            case .claims: "Claims"
            case .delivery: "Delivery"
            case .templates: "Templates"
            case .playground: "Playground"
            }
        }

        func path(of app: App) -> ConsolePath {
            let home = ConsolePath.apps / app.id.rawValue
            return self == .overview ? home : home / rawValue
        }
    }
}

/// What follows a form that was accepted.
enum FormOutcome: Sendable {
    /// Another page, so that reloading it does not send the form again.
    case redirect(ConsolePath, Done)
    /// A page that is shown once, such as one with a new secret.
    case page(Page)
    /// What is no page, such as a file.
    case response(Response)
}

/// The responses of the console.
extension Response {
    /// No scripts, no styles, pictures and frames of other servers, and no page that shows the console in a frame.
    static let consolePolicy =
        "default-src 'none'; style-src 'self'; img-src 'self'; frame-src 'self'; form-action 'self'; "
        + "frame-ancestors 'none'; base-uri 'none'"

    static func page(_ page: Page, of console: ConsoleContext) -> Response {
        var response = Self.console(page.status, Frame.html(page, of: console), script: page.script)
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

/// The page of an error, with what the operator can do.
enum ErrorPage {
    /// Logs an error of the service, notes it for the line of the request, and makes its page.
    static func page(for error: any Error, context: ServiceRequestContext) -> Page {
        let refusal = ErrorResponse.report(error, context: context)
        var page = Page(title(of: refusal.status)) {
            H.p(.class("lead")) { Format.sentence(refusal.message) }
            if let id = context.requestID { H.p(.class("hint")) { "Request " + id } }
            H.p { Link.button("Back to the overview", .home) }
        }
        (page.status, page.retryAfter) = (refusal.status, refusal.retryAfter)
        return page
    }

    private static func title(of status: HTTPResponse.Status) -> String {
        switch status.code {
        case 403: "This is not allowed"
        case 404: "This page does not exist"
        case 409: "This is not possible now"
        case 429: "Too many attempts"
        case 500...: "The service has a problem"
        default: "The request is not valid"
        }
    }
}
