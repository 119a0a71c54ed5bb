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

    let responder: ConsoleResponder

    @Sendable func show(_ request: Request, context: ServiceRequestContext) async throws -> Response {
        let query = try? FormBody(request.uri.query ?? "")
        var view = SignInView(
            way: query?.text(Self.wayField) == "key" ? .key : .account, next: query?.text(Self.returnField))
        view.done = query?.text(ConsoleContext.doneField).flatMap { Done(rawValue: $0) }
        return .console(.ok, try await html(view))
    }

    /// One form for all ways: with a management key, with a password, to get a code, and with a code.
    @Sendable func signIn(_ request: Request, context: ServiceRequestContext) async throws -> Response {
        var view = SignInView(way: .account)
        do {
            let caller = try ConsoleCaller(request, context, edge: responder.edge)
            let origin = try FormOrigin.check(request, host: caller.client.host)
            let form = try await FormBody(request)
            view = SignInView(form)
            let begun: Begun? = try await EventContext.$current.withValue(caller.events) {
                if let address = try addressForCode(form) {
                    view.way = .code(
                        verification: try await responder.service.operatorLogin.sendCode(
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
            store(.session, try responder.service.consoleSessions.cookie(of: session))
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
        let (sessions, login) = (responder.service.consoleSessions, responder.service.operatorLogin)
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
        var response = try await responder.answerForm(request, context, for: .viewer) { console, _ in
            try await console.service.consoleSessions.signOut(console.session, by: console.principal)
            return .redirect(.signIn, .signedOut)
        }
        let host = try ConsoleCaller(request, context, edge: responder.edge).client.host
        if response.status == .seeOther, let found = ConsoleCookie.find(.session, in: request.headers, host: host) {
            response.headers[.setCookie] = found.cookie.deletion
        }
        return response
    }

    private static func path(_ text: String?) -> ConsolePath { text.flatMap { ConsolePath(returning: $0) } ?? .home }

    /// Without accounts, the page has the form for a management key only.
    private func html(_ view: SignInView) async throws -> HTML {
        view.html(hasAccounts: try await responder.service.operators.exist)
    }
}

/// What the sign-in shows: the form for an account, for its code, or for a management key.
struct SignInView: Sendable {
    enum Way: Sendable, Equatable {
        case account
        /// A code was sent, if an operator has the address.
        case code(verification: String)
        case key
    }

    static let addressField = "address"
    static let passwordField = "password"
    static let codeField = "code"
    static let verificationField = "verification"
    static let keyField = "key"

    var way: Way
    /// The path to which the sign-in leads.
    var next: String?
    var address = ""
    var done: Done?
    var error: String?

    init(way: Way, next: String? = nil) {
        self.way = way
        self.next = next
    }

    /// The view that shows a form again.
    init(_ form: FormBody) {
        next = form.text(SignInPage.returnField)
        address = form.text(Self.addressField) ?? ""
        if let verification = form.text(Self.verificationField) {
            way = .code(verification: verification)
        } else {
            way = form.text(Self.keyField) == nil ? .account : .key
        }
    }

    func message(_ error: any Error, _ refusal: WireRefusal) -> String {
        switch (error, way) {
        case (Refusal.unauthorized, .key): "This management key is not valid. It may have expired or been revoked."
        case (Refusal.invalidField(Self.keyField, _), _): "Enter a management key."
        case (Refusal.invalidField(Self.codeField, _), _): "Enter the code of the mail."
        case (Refusal.unauthorized, _): "The address or the password is not correct."
        case (Refusal.badCode, _): "The code is not correct."
        case (Refusal.spentCode, _), (Refusal.invalidVerificationToken, _):
            "The code is not correct or no longer valid. Ask for another one."
        case (Refusal.suspendedAccount, _), (Refusal.inactiveUser, _): "This account is suspended. Ask an admin."
        default: Format.sentence(refusal.message)
        }
    }

    func html(hasAccounts: Bool) -> HTML {
        Frame.document(title: (error == nil ? "" : "Error: ") + "Sign in", style: "plain") {
            H.main(.id("content"), .class("sign-in")) {
                H.div(.class("card")) {
                    Frame.mark
                    H.h1 { "Sign in to the console" }
                    if let done { H.p(.class("message"), .role("status")) { done.message } }
                    if let error { H.p(.class("error"), .id("sign-in-error"), .role("alert")) { error } }
                    switch way {
                    case .code(let verification): code(verification)
                    case .account where hasAccounts: account
                    default: key(hasAccounts: hasAccounts)
                    }
                }
            }
        }
    }

    private var account: HTML {
        HTML(joining: [
            form("Continue") {
                field(
                    Self.addressField, "E-mail address", type: "email", value: address, autocomplete: "username",
                    isFirst: true)
                field(
                    Self.passwordField, "Password", type: "password", hint: "Leave it empty to get a code by e-mail.",
                    autocomplete: "current-password")
            },
            H.p { H.a(.href(link(to: "key"))) { "Sign in with a management key" } },
        ])
    }

    private func code(_ verification: String) -> HTML {
        HTML(joining: [
            H.p(.class("message"), .role("status")) {
                "If an operator has the address "
                H.bdi { address }
                ", a code was sent to it."
            },
            form("Sign in") {
                H.input(.type("hidden"), .name(Self.verificationField), .value(verification))
                H.input(.type("hidden"), .name(Self.addressField), .value(address))
                field(
                    Self.codeField, "Code", type: "text", autocomplete: "one-time-code", isFirst: true,
                    isNumeric: true)
            },
            H.p { H.a(.href(link(to: nil))) { "Start again" } },
        ])
    }

    private func key(hasAccounts: Bool) -> HTML {
        HTML(joining: [
            form("Sign in") {
                field(
                    Self.keyField, "Management key", type: "password",
                    hint: "It begins with psk_, or is the key of the service's configuration.",
                    autocomplete: "current-password", isFirst: true)
            },
            hasAccounts ? H.p { H.a(.href(link(to: nil))) { "Sign in with an account" } } : .empty,
            H.details {
                H.summary { "Where do I get a key?" }
                H.p { "Create one on the machine of the service:" }
                H.pre { H.code { "prelude-session key create \"Your name\"" } }
                H.p { "The name of the key is the name that the audit trail shows for you." }
            },
        ])
    }

    private func link(to way: String?) -> ConsolePath {
        ConsolePath.signIn.query([SignInPage.wayField: way, SignInPage.returnField: returning])
    }

    private var returning: String? { next.flatMap { ConsolePath(returning: $0) == nil ? nil : $0 } }

    private func form(_ submit: String, @HTMLBuilder content: () -> HTML) -> HTML {
        H.form(.methodPost, .action(.signIn), .noValidate) {
            if let returning { H.input(.type("hidden"), .name(SignInPage.returnField), .value(returning)) }
            content()
            H.div(.class("actions")) { H.button(.type("submit"), .class("primary")) { submit } }
        }
    }

    /// - Parameter isFirst: Whether an error is shown at this field.
    private func field(
        _ name: String, _ label: String, type: String, value: String? = nil, hint: String? = nil,
        autocomplete: String, isFirst: Bool = false, isNumeric: Bool = false
    ) -> HTML {
        let hasError = isFirst && error != nil
        let described = [hasError ? "sign-in-error" : nil, hint == nil ? nil : name + "-hint"].compactMap(\.self)
        return H.div(.class("field")) {
            H.label(.for(name)) { label }
            if let hint { H.p(.class("hint"), .id(name + "-hint")) { hint } }
            H.input(
                .type(type), .id(name), .name(name), isFirst ? .required : nil, value.map { .value($0) },
                isNumeric ? .inputMode("numeric") : nil, .autocomplete(autocomplete), .spellcheckOff,
                described.isEmpty ? nil : .aria(describedBy: described.joined(separator: " ")),
                hasError ? .ariaInvalid : nil)
        }
    }
}
