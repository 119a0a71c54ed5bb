import HTTPTypes
import Hummingbird
import SessionDomain
import SessionHTTP

/// The sign-in with an account or a management key, and the sign-out.
struct SignInPage: Sendable {
    /// The path to which the sign-in leads.
    static let returnField = "next"
    /// Chooses the form with the management key, where there are accounts.
    static let wayField = "with"

    let gate: ConsoleGate

    @Sendable func show(_ request: Request, context: ServiceRequestContext) async throws -> Response {
        let query = try? FormBody(request.uri.query ?? "")
        var view = SignInView(
            way: query?.text(Self.wayField) == "key" ? .key : .account, next: query?.text(Self.returnField))
        view.done = query?.text(Visit.doneField).flatMap { Done(rawValue: $0) }
        return .console(.ok, try await html(view))
    }

    /// One form for all ways: with a management key, with a password, to get a code, and with a code.
    @Sendable func signIn(_ request: Request, context: ServiceRequestContext) async throws -> Response {
        var view = SignInView(way: .account)
        do {
            let caller = try ConsoleCaller(request, context, edge: gate.edge)
            let origin = try FormOrigin.check(request, host: caller.client.host)
            let form = try await FormBody(request)
            view = SignInView(form)
            let begun: Begun? = try await EventContext.$current.withValue(caller.events) {
                if let address = try addressForCode(form) {
                    view.way = .code(
                        verification: try await gate.service.operatorLogin.sendCode(
                            to: address, locales: caller.client.facts.locales, from: caller.origin))
                    return nil
                }
                return try await begin(form, caller)
            }
            guard let (session, device) = begun else { return .console(.ok, try await html(view)) }
            var response = Response.redirect(to: Self.path(view.next))
            func store(_ purpose: ConsoleCookie.Purpose, _ value: String) {
                let cookie = ConsoleCookie(purpose: purpose, isSecure: origin.isSecure)
                response.headers.append(HTTPField(name: .setCookie, value: cookie.header(value)))
            }
            store(.session, try gate.service.consoleSessions.cookie(of: session))
            if let device { store(.device, device) }
            return response
        } catch {
            let refusal = ErrorResponse.report(error, context: context)
            view.error = view.message(error, refusal)
            var response = Response.console(refusal.status, try await html(view))
            if let seconds = refusal.retryAfter { response.headers[.retryAfter] = String(seconds) }
            return response
        }
    }

    /// The address to which a code has to be sent: the form has neither a password nor a code.
    private func addressForCode(_ form: FormBody) throws(Refusal) -> String? {
        guard form.text(SignInView.addressField) != nil, form.text(SignInView.verificationField) == nil,
            (form.text(SignInView.passwordField) ?? "").isEmpty
        else { return nil }
        return try form.required(SignInView.addressField)
    }

    /// A new session, and the token that makes the browser a known device.
    private typealias Begun = (session: ConsoleSession, deviceToken: String?)

    private func begin(_ form: FormBody, _ caller: ConsoleCaller) async throws -> Begun {
        let (sessions, login) = (gate.service.consoleSessions, gate.service.operatorLogin)
        let proof: OperatorProof
        if let verification = form.text(SignInView.verificationField) {
            proof = try await login.code(
                try form.required(SignInView.codeField), verification: verification, from: caller.origin)
        } else if form.text(SignInView.addressField) != nil {
            proof = try await login.password(
                form.text(SignInView.passwordField) ?? "", of: try form.required(SignInView.addressField),
                from: caller.origin)
        } else {
            return (
                try await sessions.signIn(try form.required(SignInView.keyField), source: caller.client.source), nil
            )
        }
        return try await sessions.signIn(proof, device: caller.client.device, client: caller.client.facts)
    }

    @Sendable func signOut(_ request: Request, context: ServiceRequestContext) async throws -> Response {
        var response = try await gate.answerForm(request, context, for: .viewer) { visit, _ in
            try await visit.service.consoleSessions.signOut(visit.session, by: visit.principal)
            return .redirect(.signIn, .signedOut)
        }
        let host = try ConsoleCaller(request, context, edge: gate.edge).client.host
        if response.status == .seeOther, let found = ConsoleCookie.find(.session, in: request.headers, host: host) {
            response.headers[.setCookie] = found.cookie.deletion
        }
        return response
    }

    private static func path(_ text: String?) -> ConsolePath { text.flatMap { ConsolePath(returning: $0) } ?? .home }

    /// Without accounts, the page has the form for a management key only.
    private func html(_ view: SignInView) async throws -> HTML {
        view.html(hasAccounts: try await gate.service.operators.exist)
    }
}
