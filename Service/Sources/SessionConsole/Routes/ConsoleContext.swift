import Hummingbird
import SessionDomain
import SessionHTTP
import SessionTokens

/// A request of a signed-in operator to a page of the console.
struct ConsoleContext: Sendable {
    /// The field of each form that repeats `ConsoleSession.formToken`.
    static let tokenField = "form_token"
    /// The parameter of a redirection that names what was done.
    static let doneField = "done"
    /// The parameter of a request that a script sends by itself. It does not keep the session alive.
    static let liveField = "live"

    let service: SessionService
    /// Set in development only.
    let mailbox: Mailbox?
    let activity: ActivityRecorder
    let session: ConsoleSession
    /// Who is signed in.
    let principal: ConsolePrincipal
    /// The host that the browser asked for.
    let host: String
    /// Whether the browser uses https. Otherwise it uses http on the same machine.
    let isSecure: Bool
    let query: FormBody
    let parameters: Parameters
    /// Set if a form of this page was refused, and the page is shown again.
    var problem: Problem?

    /// The management key, or the rights of the operator in the form of a key.
    var key: ManagementKey { principal.key }
    /// Whether the operator is an admin, and may change configuration.
    var canWrite: Bool { may(.admin) }
    /// Whether the operator may change users and sessions.
    var canSupport: Bool { may(.support) }
    /// The origin of the console, as the browser writes it.
    var origin: String? { TargetURI((isSecure ? "https://" : "http://") + host)?.origin }
    var isForAllApps: Bool { principal.appID == nil }

    /// Whether the operator may send the forms of a role. Pages show no other forms.
    func may(_ role: OperatorRole) -> Bool { principal.role >= role }

    /// - Throws: `Refusal.forbidden` for an operator of one app.
    func requireAllApps() throws(Refusal) {
        guard isForAllApps else {
            throw .forbidden("this needs an operator, or a management key, for all apps")
        }
    }

    /// The parameter of the path, or an empty text.
    func parameter(_ name: String) -> String { parameters.get(name) ?? "" }

    /// What was done before this page was shown.
    var done: Done? { query.text(Self.doneField).flatMap { Done(rawValue: $0) } }
}

/// A request to a page of an app that exists and that the operator works with.
struct ConsoleAppContext: Sendable {
    let context: ConsoleContext
    let app: App

    var service: SessionService { context.service }
    var path: ConsolePath { ConsolePath.apps / app.id.rawValue }

    /// The parameter of the path, or an empty text.
    func parameter(_ name: String) -> String { context.parameter(name) }
}

/// What the operator has done, for the message on the page that follows.
enum Done: String {
    case saved, created, deleted, revoked, rotated, published, activated, resent, cleared, signedOut, invited

    var message: String {
        switch self {
        case .saved: "The changes are saved."
        case .created: "It is created."
        case .deleted: "It is deleted."
        case .revoked: "It is revoked."
        case .rotated: "The key is rotated."
        case .published: "Nothing has changed: the next key is published already, and signs soon."
        case .activated: "The webhook is active."
        case .resent: "The event is sent again within a few seconds."
        case .cleared: "The limits are set back."
        case .signedOut: "You are signed out."
        case .invited: "The operator can sign in. Send them the address of this console."
        }
    }
}
