import HTTPTypes
import Hummingbird
import SessionDomain
import SessionHTTP
import SessionTokens

/// Lets requests of signed-in operators through to their pages, and turns pages and errors into responses.
struct ConsoleResponder: Sendable {
    let service: SessionService
    let edge: EdgeOptions
    let mailbox: Mailbox?
    let activity: ActivityRecorder

    /// What a handler returns: the page or redirection, and the session if the operator has confirmed who they are.
    struct Answered {
        let outcome: FormOutcome
        var confirmed: ConsoleSession?
    }

    /// Signs the operator in by the cookie, runs a handler, and answers with its page.
    ///
    /// A request without a session gets the sign-in page. Refusals become pages with their status.
    func answer(
        _ request: Request, _ context: ServiceRequestContext,
        _ work: @Sendable (ConsoleContext) async throws -> FormOutcome
    ) async throws -> Response {
        try await answering(request, context) { console, _ in Answered(outcome: try await work(console)) }
    }

    /// The same for a form, with the fields that a page of this session has sent.
    ///
    /// A dangerous action without a recent confirmation is answered with the page that asks for one, which then sends the same
    /// fields again.
    func answerForm(
        _ request: Request, _ context: ServiceRequestContext, for role: OperatorRole,
        confirming isDangerous: @escaping @Sendable (FormBody) -> Bool = { _ in false },
        _ submit: @Sendable (ConsoleContext, FormBody) async throws -> FormOutcome
    ) async throws -> Response {
        try await answering(request, context) { console, caller in
            let form = try await form(request, console, for: role)
            let check = ConfirmationCheck(console: console, path: request.uri.path, caller: caller)
            switch try await check.result(of: form, isDangerous: isDangerous) {
            case .ask(let page): return Answered(outcome: .page(page))
            case .proceed(let form): return Answered(outcome: try await submit(console, form))
            case .confirmed(let session, let form):
                // The action can fail now. The confirmation stays.
                do {
                    return Answered(outcome: try await submit(console, form), confirmed: session)
                } catch {
                    return Answered(outcome: .page(ErrorPage.page(for: error, context: context)), confirmed: session)
                }
            }
        }
    }

    private func answering(
        _ request: Request, _ context: ServiceRequestContext,
        _ work: (ConsoleContext, ConsoleCaller) async throws -> Answered
    ) async throws -> Response {
        let caller = try ConsoleCaller(request, context, edge: edge)
        guard let found = ConsoleCookie.find(.session, in: request.headers, host: caller.client.host),
            let (session, principal) = try await service.consoleSessions.session(cookie: found.value)
        else { return .redirect(to: signIn(returningTo: request)) }
        let query = Result { () throws(Refusal) in try FormBody(request.uri.query ?? "", of: "query") }
        let console = ConsoleContext(
            service: service, mailbox: mailbox, activity: activity, session: session, principal: principal,
            host: caller.client.host,
            isSecure: found.cookie.isSecure, query: (try? query.get()) ?? FormBody(), parameters: context.parameters)
        var (response, confirmed): (Response, ConsoleSession?) =
            await EventContext.$current.withValue(caller.events.acting(as: principal.actor)) {
                do {
                    _ = try query.get()
                    let answered = try await work(console, caller)
                    switch answered.outcome {
                    case .page(let page): return (Response.page(page, of: console), answered.confirmed)
                    case .response(var response):
                        response.addConsoleHeaders()
                        return (response, answered.confirmed)
                    case .redirect(let path, let done):
                        let target = path.query([ConsoleContext.doneField: done.rawValue])
                        return (Response.redirect(to: target), answered.confirmed)
                    }
                } catch {
                    return (.page(ErrorPage.page(for: error, context: context), of: console), nil)
                }
            }
        // A script that asks again and again is no operator who uses the console.
        let isLive = console.query.text(ConsoleContext.liveField) != nil
        if let renewed = confirmed ?? (isLive ? nil : session.renewed(at: service.environment.now())) {
            response.headers[.setCookie] = found.cookie.header(try service.consoleSessions.cookie(of: renewed))
        }
        return response
    }

    /// The fields of a form that a page of this session has sent.
    ///
    /// - Throws: `Refusal.forbidden` for a form of another site or session, and for an operator without the role.
    private func form(_ request: Request, _ console: ConsoleContext, for role: OperatorRole) async throws -> FormBody {
        try FormOrigin.check(request, host: console.host)
        let form = try await FormBody(request)
        guard let token = form.text(ConsoleContext.tokenField), ConstantTime.equal(token, console.session.formToken)
        else {
            throw Refusal.forbidden("the form belongs to an earlier sign-in; load the page again and repeat the change")
        }
        guard console.may(role) else {
            throw Refusal.forbidden(
                console.principal.operator == nil
                    ? "the management key has the role read; this change needs the role write"
                    : "your role is \(console.principal.role.rawValue); this change needs the role \(role.rawValue)")
        }
        return form
    }

    /// The app of the path. An operator of another app gets the same error as for an app that does not exist.
    func app(_ console: ConsoleContext) async throws -> ConsoleAppContext {
        let unknown = Refusal.notFound("there is no such app, or you do not work with it")
        guard let id = AppID(console.parameter("app_id")), console.isForAllApps || console.principal.appID == id,
            let app = try await console.service.store.app(id)
        else { throw unknown }
        RequestTrail.current?.note(app: id)
        return ConsoleAppContext(context: console, app: app)
    }

    private func signIn(returningTo request: Request) -> ConsolePath {
        guard request.method == .get || request.method == .head, request.uri.path != ConsolePath.home.text else {
            return .signIn
        }
        return .signIn.query([SignInPage.returnField: request.uri.path])
    }
}

/// Who sends a request to the console.
struct ConsoleCaller {
    let client: Client
    let events: EventContext
    /// Where a login or a confirmation of this request comes from.
    let origin: OperatorOrigin

    init(_ request: Request, _ context: ServiceRequestContext, edge: EdgeOptions) throws {
        client = try Client(
            headers: request.headers, authority: request.head.authority, peerAddress: context.peerAddress,
            options: edge)
        events = EventContext(
            ip: client.facts.ip, userAgent: request.headers[.userAgent], requestID: context.requestID)
        origin = OperatorOrigin(
            source: client.source,
            deviceToken: ConsoleCookie.find(.device, in: request.headers, host: client.host)?.value)
    }
}

/// Decides whether a form was sent by a page of the console, and how its browser reached the service.
struct FormOrigin: Equatable {
    /// Whether the browser uses https. Otherwise it uses http on the same machine.
    let isSecure: Bool

    /// - Parameters:
    ///   - origin: The value of `Origin`, which browsers send with every form.
    ///   - site: The value of `Sec-Fetch-Site`. Older browsers do not send it.
    ///   - host: The host that the browser asked for.
    /// - Throws: `Refusal.forbidden`.
    init(origin: String?, site: String?, host: String) throws(Refusal) {
        guard let origin, site == nil || site == "same-origin" else { throw Self.otherSite }
        if let own = TargetURI("https://" + host)?.origin, own == origin {
            isSecure = true
        } else if let own = TargetURI("http://" + host)?.origin, own == origin {
            guard Self.isLoopback(host) else {
                throw .forbidden("the console needs https, except under localhost; set a certificate, or use a tunnel")
            }
            isSecure = false
        } else {
            throw Self.otherSite
        }
    }

    /// Whether a host is a loopback address or `localhost`.
    static func isLoopback(_ host: String) -> Bool {
        TargetURI("http://" + host).map { IPNetwork.isLoopback(host: $0.host) } ?? false
    }

    private static let otherSite = Refusal.forbidden("the form was not sent by a page of this console")
}

extension FormOrigin {
    /// Checks the headers of a form.
    ///
    /// - Throws: `Refusal.forbidden`.
    @discardableResult
    static func check(_ request: Request, host: String) throws(Refusal) -> FormOrigin {
        try FormOrigin(
            origin: request.headers[.origin], site: request.headers[.secFetchSite], host: host)
    }
}
