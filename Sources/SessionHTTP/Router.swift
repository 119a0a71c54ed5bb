package import Hummingbird
package import SessionDomain
import SessionWire

/// The URL map of the whole service. The context's type says who may call.
package func buildRouter(
    service: SessionService, edge: EdgeOptions, mailbox: Mailbox? = nil
) -> Router<AnonymousContext> {
    let router = Router(context: AnonymousContext.self)
    router.add(middleware: ErrorMiddleware(environment: service.environment))

    addFrontend(to: router, service: service, edge: edge)
    addManagement(to: router.group("/v2/session/apps/:app_id"), service: service)
    router.get("/health", use: HealthRoute(store: service.store).show)

    if let mailbox {
        let routes = MailboxRoutes(mailbox: mailbox)
        router.get("/dev", use: routes.page)
        router.get("/dev/mailbox", use: routes.list)
    }
    return router
}

private func addFrontend(to router: Router<AnonymousContext>, service: SessionService, edge: EdgeOptions) {
    let client = router.group()
        .add(middleware: ClientMiddleware(options: edge, directory: service.directory))
        .add(middleware: OriginMiddleware())
    for path in FrontendPath.allCases {
        // Browsers ask before they call; the middleware above answers.
        client.on(RouterPath(path.rawValue), method: .options) { _, _ -> Response in throw HTTPError(.notFound) }
    }

    let keySets = KeySetRoutes()
    let otp = OTPRoutes(login: service.otpLogin, environment: service.environment)
    let password = PasswordRoutes(login: service.passwordLogin)
    client.group(context: AppContext.self)
        .get(.jwks, use: keySets.accessKeys)
        .get(.stepUpJWKS, use: keySets.challengeKeys)
        .post(.otp, use: otp.start)
        .post(.otpRetry, use: otp.retry)
        .post(.otpCheck, use: otp.check)
        .post(.passwordLogin, use: password.login)
        .get(.passwordCompliancy, use: password.compliancy)

    let proven = client.group().add(middleware: ProofMiddleware())
    let tokens = TokenRoutes(sessions: service.sessions, environment: service.environment)
    proven.group(context: ProofBoundContext.self)
        .post(.finalize, use: tokens.finalize)
        .post(.refresh, use: tokens.refresh)
        .post(.revoke, use: tokens.revoke)

    let me = MeRoutes(calls: service.signedIn)
    proven.group().add(middleware: CallerMiddleware(signedIn: service.signedIn))
        .group(context: SignedInContext.self)
        .get(.sessions, use: me.list)
        .post(.revokeSessions, use: me.revoke)
        .get(.identifiers, use: me.identifiers)
}

private func addManagement(to group: RouterGroup<AnonymousContext>, service: SessionService) {
    let users = UserRoutes(users: service.users)
    let sessions = UserSessionRoutes(users: service.users)
    let password = PasswordConfigRoutes(configs: service.loginConfigs)
    let otp = OTPConfigRoutes(configs: service.loginConfigs)
    group.add(middleware: OperatorMiddleware(keys: service.managementKeys))
        .group(context: OperatorContext.self)
        .post("/users", use: users.create)
        .get("/users", use: users.find)
        .get("/users/:user_id", use: users.get)
        .delete("/users/:user_id", use: users.delete)
        .put("/users/:user_id/status", use: users.setStatus)
        .put("/users/:user_id/password", use: users.setPassword)
        .put("/users/:user_id/external_id", use: users.setExternalID)
        .patch("/users/:user_id/profile", use: users.mergeProfile)
        .post("/users/:user_id/identifiers", use: users.addIdentifier)
        .delete("/users/:user_id/identifiers", use: users.removeIdentifier)
        .get("/users/:user_id/sessions", use: sessions.list)
        .delete("/users/:user_id/sessions/:session_id", use: sessions.revoke)
        .post("/users/:user_id/sessions/invalidate", use: sessions.revokeAll)
        .get("/config/login/password", use: password.get)
        .post("/config/login/password", use: password.create)
        .put("/config/login/password", use: password.replace)
        .get("/config/login/otp", use: otp.list)
        .post("/config/login/otp", use: otp.create)
        .get("/config/login/otp/:config_id", use: otp.get)
        .put("/config/login/otp/:config_id", use: otp.replace)
        .delete("/config/login/otp/:config_id", use: otp.delete)
        .get("/events", use: EventRoutes(store: service.store).list)
}

extension RouterGroup {
    /// Paths come from the wire's list, so that client and service cannot disagree.
    @discardableResult
    fileprivate func get(
        _ path: FrontendPath, use handler: @escaping @Sendable (Request, Context) async throws -> Response
    ) -> Self {
        on(RouterPath(path.rawValue), method: .get, use: handler)
    }

    @discardableResult
    fileprivate func post(
        _ path: FrontendPath, use handler: @escaping @Sendable (Request, Context) async throws -> Response
    ) -> Self {
        on(RouterPath(path.rawValue), method: .post, use: handler)
    }
}
