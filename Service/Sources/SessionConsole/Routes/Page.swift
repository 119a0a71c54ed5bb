import HTTPTypes
import Hummingbird
import SessionDomain

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
