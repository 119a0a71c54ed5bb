package import Hummingbird
package import SessionDomain
import SessionWire

/// The routes of the whole service. The context type of a route says who may call it.
///
/// - Parameters:
///   - forwarding: Logs proxies that hide their clients, once for all routers that share it.
///   - mailbox: Set in development only. It adds the routes that show the messages that were sent.
///   - health: Answers health checks. `nil`: only the state of the store is known.
///   - api: The other API has no routes, so its paths are answered with 404.
///   - controls: Metrics and log level of the process, for the management API.
package func buildRouter(
    service: SessionService, edge: EdgeOptions, forwarding: ForwardingLog = ForwardingLog(), mailbox: Mailbox? = nil,
    health: HealthEndpoint? = nil, api: ServedAPI = .all, controls: ProcessControls? = nil
) -> Router<ServiceRequestContext> {
    let router = Router(context: ServiceRequestContext.self, options: .autoGenerateHeadEndpoints)
    let client = ClientMiddleware(options: edge, directory: service.directory, now: service.environment.now)
    router.add(
        middleware: RequestMiddleware(
            environment: service.environment, edge: edge,
            checks: [
                HeaderLimit(), CanonicalPath(),
                ForwardingCheck(options: edge, log: forwarding, environment: service.environment),
            ],
            pages: api == .management ? nil : client))
    if api != .management {
        addFrontend(to: router, client, service: service)
        for path in WebClientRoute.Path.allCases {
            router.get(RouterPath(path.rawValue), use: WebClientRoute(path: path).show)
        }
    }
    if api != .frontend {
        let proofs = ProofMiddleware(log: ProofTargetLog(environment: service.environment))
        router.group().add(middleware: QueryMiddleware())
            .add(
                middleware: ForwardedCallMiddleware(
                    options: edge, directory: service.directory, now: service.environment.now)
            )
            .add(middleware: WWWAuthenticateMiddleware()).add(middleware: proofs)
            .add(middleware: AccessTokenMiddleware(authenticator: service.authenticator))
            .get(RouterPath(VerifyRoute.path), use: VerifyRoute.show)
        let apps = AppRoutes(apps: service.apps, settings: service.settings)
        let events = EventRoutes(store: service.store)
        let management = router.group("/v2/session")
            .add(middleware: OperatorContextMiddleware(options: edge))
            .add(middleware: QueryMiddleware())
        management.group("/events")
            .add(middleware: ManagementKeyMiddleware(keys: service.managementKeys, apps: service.apps, edge: edge))
            .add(middleware: NoBodyMiddleware())
            .group(context: AllAppsContext.self)
            .get("", use: events.listOfService)
        management.group("/apps")
            .add(middleware: ManagementKeyMiddleware(keys: service.managementKeys, apps: service.apps, edge: edge))
            .add(middleware: NoBodyMiddleware())
            .group(context: AllAppsContext.self)
            .get("", use: apps.list)
            .post("", use: apps.create)
        if let controls { addControls(to: router, controls, service: service, edge: edge) }
        addManagement(to: management.group("/apps/:app_id"), service: service, edge: edge)
    }
    let health = health ?? HealthEndpoint(monitor: service.healthOfReads, showsReasons: false)
    for path in HealthEndpoint.Path.allCases {
        router.get(RouterPath(path.rawValue), use: HealthRoute(endpoint: health, path: path).show)
    }

    router.get(RouterPath(OpenAPIRoute.path), use: OpenAPIRoute().show)

    if let mailbox, api != .management {
        let routes = MailboxRoutes(mailbox: mailbox, worker: service.messages)
        router.group("/dev").add(middleware: MailboxHostMiddleware(directory: service.directory))
            .get("", use: routes.page)
            .get("mailbox", use: routes.list)
    }
    return router
}

private func addFrontend(
    to router: Router<ServiceRequestContext>, _ middleware: ClientMiddleware, service: SessionService
) {
    let client = router.group().add(middleware: middleware)
    for path in FrontendPath.allCases {
        // Browsers send a preflight request before a call. `ClientMiddleware` answers it.
        client.on(RouterPath(path.rawValue), method: .options) { _, _ -> Response in throw HTTPError(.notFound) }
    }

    let keySets = KeySetRoutes(maxAge: service.signingKeys.policy.keySetMaxAge)
    let otp = OTPRoutes(login: service.otpLogin, stepUp: service.stepUp, environment: service.environment)
    let password = PasswordRoutes(login: service.passwordLogin, change: service.passwordChange)
    let stepUp = StepUpRoutes(stepUp: service.stepUp, authenticator: service.authenticator)
    let passkeys = PasskeyRoutes(passkeys: service.passkeys, login: service.passkeyLogin)
    let associations = AssociationRoutes()
    let tokens = TokenRoutes(sessions: service.sessions, environment: service.environment)
    let web = WebLoginRoutes(otp: otp, tokens: tokens)
    client.group(context: AppContext.self)
        .get(.jwks, use: keySets.accessKeys)
        .get(.stepUpJWKS, use: keySets.challengeKeys)
        .get(.metadata, use: MetadataRoute(maxAge: keySets.maxAge).show)
        .post(.otp, use: otp.start)
        .post(.otpRetry, use: otp.retry)
        .post(.webLogin, use: web.start)
        .post(.webLoginRetry, use: otp.retry)
        .get(.appleAppSiteAssociation, use: associations.appleApps)
        .get(.assetLinks, use: associations.androidApps)
        .get(.relatedOrigins, use: associations.origins)
        .post(.passwordLogin, use: password.login)
        .post(.beginPasskeyLogin, use: passkeys.beginLogin)
        .post(.finishPasskeyLogin, use: passkeys.finishLogin)
        .get(.passwordCompliancy, use: password.compliancy)
        .post(.migration, use: MigrationRoutes(login: service.migrationLogin).migrate)

    let proofs = ProofMiddleware(log: ProofTargetLog(environment: service.environment))
    let proven = client.group().add(middleware: proofs)
    proven.group(context: ProofBoundContext.self)
        .post(.finalize, use: tokens.finalize)
        .post(.refresh, use: tokens.refresh)
        .post(.revoke, use: tokens.revoke)
        .post(.otpCheck, use: otp.check)
        .post(.webLoginCheck, use: web.check)
        .post(.stepUpContinue, use: stepUp.completeStep)

    let me = MeRoutes(sessions: service.userSessions)
    client.group().add(middleware: WWWAuthenticateMiddleware()).add(middleware: proofs)
        .add(middleware: AccessTokenMiddleware(authenticator: service.authenticator))
        .group(context: SignedInContext.self)
        .get(.sessions, use: me.list)
        .post(.revokeSessions, use: me.revoke)
        .get(.identifiers, use: me.identifiers)
        .get(.passkeys, use: passkeys.list)
        .post(.beginPasskeyRegistration, use: passkeys.beginRegistration)
        .post(.finishPasskeyRegistration, use: passkeys.finishRegistration)
        .on(RouterPath(FrontendPath.passkey.rawValue), method: .patch, use: passkeys.rename)
        .on(RouterPath(FrontendPath.passkey.rawValue), method: .delete, use: passkeys.delete)
        .post(.stepUpRequest, use: stepUp.request)
        .post(.passwordReset, use: password.reset)
}

/// Each call needs a management key that is valid for all apps, also on a listener of its own: reaching the port is no
/// authentication.
private func addControls(
    to router: Router<ServiceRequestContext>, _ controls: ProcessControls, service: SessionService, edge: EdgeOptions
) {
    let routes = ProcessRoutes(controls: controls)
    let keys = ManagementKeyMiddleware(keys: service.managementKeys, apps: service.apps, edge: edge)
    let operators = router.group().add(middleware: OperatorContextMiddleware(options: edge))
    operators.group().add(middleware: keys).group(context: AllAppsContext.self)
        .get("/metrics", use: routes.metrics)
    operators.group("/v2/session/log-level").add(middleware: QueryMiddleware()).add(middleware: keys)
        .add(middleware: NoBodyMiddleware())
        .group(context: AllAppsContext.self)
        .get("", use: routes.logLevel)
        .put("", use: routes.setLogLevel)
}

private func addManagement(
    to group: RouterGroup<ServiceRequestContext>, service: SessionService, edge: EdgeOptions
) {
    let users = UserRoutes(users: service.users)
    let sessions = UserSessionRoutes(users: service.users)
    let password = PasswordConfigRoutes(settings: service.settings)
    let otp = OTPConfigRoutes(configs: service.loginConfigs)
    let stepUp = StepUpConfigRoutes(config: service.stepUpConfig)
    let claims = ClaimsConfigRoutes(claims: service.claims)
    let migration = SettingsRoutes<MigrationConfig>(settings: service.settings)
    let passkey = SettingsRoutes<PasskeyConfig>(settings: service.settings)
    let userPasskeys = UserPasskeyRoutes(users: service.users)
    let templates = TemplateRoutes(templates: service.templates)
    let messages = SettingsRoutes<MessageSettings>(settings: service.settings)
    let notices = SettingsRoutes<NoticeSettings>(settings: service.settings)
    let webhooks = WebhookRoutes(webhooks: service.webhooks)
    let app = AppRoutes(apps: service.apps, settings: service.settings)
    let keys = ManagementKeyRoutes(keys: service.managementKeys)
    let signingKeys = SigningKeyRoutes(keys: service.signingKeys)
    let sessionConfig = SettingsRoutes<SessionPolicy>(settings: service.settings)
    let limits = SettingsRoutes<LimitSettings>(settings: service.settings)
    let cors = CORSConfigRoutes(settings: service.settings)
    let domains = DomainRoutes(apps: service.apps)
    let blocks = BlockRoutes(apps: service.apps)
    let delivery = DeliveryConfigRoutes(delivery: service.delivery)
    group.add(middleware: ManagementKeyMiddleware(keys: service.managementKeys, apps: service.apps, edge: edge))
        .add(middleware: NoBodyMiddleware())
        .group(context: OperatorContext.self)
        .get("", use: app.get)
        .patch("", use: app.update)
        .get("/config/sessions", use: sessionConfig.get)
        .put("/config/sessions", use: sessionConfig.replace)
        .get("/domains", use: domains.list)
        .post("/domains", use: domains.add)
        .delete("/domains/:domain_id", use: domains.remove)
        .get("/config/cors", use: cors.get)
        .put("/config/cors", use: cors.replace)
        .post("/tokens", use: DevelopmentTokenRoutes(tokens: service.developmentTokens).create)
        .get("/config/limits", use: limits.get)
        .put("/config/limits", use: limits.replace)
        .get("/config/delivery", use: delivery.get)
        .put("/config/delivery", use: delivery.replace)
        .delete("/config/delivery", use: delivery.delete)
        .get("/keys", use: keys.list)
        .post("/keys", use: keys.create)
        .post("/keys/:key_id/rotate", use: keys.rotate)
        .delete("/keys/:key_id", use: keys.revoke)
        .get("/signing-keys", use: signingKeys.list)
        .post("/signing-keys/rotate", use: signingKeys.rotate)
        .get("/config/stepup", use: stepUp.get)
        .post("/config/stepup", use: stepUp.create)
        .put("/config/stepup", use: stepUp.replace)
        .get("/config/scopes", use: stepUp.scopes)
        .post("/config/scopes", use: stepUp.register)
        .delete("/config/scopes", use: stepUp.unregister)
        .get("/config/claims", use: claims.get)
        .post("/config/claims", use: claims.create)
        .put("/config/claims", use: claims.replace)
        .get("/config/migration", use: migration.get)
        .post("/config/migration", use: migration.create)
        .put("/config/migration", use: migration.replace)
        .get("/config/passkey", use: passkey.get)
        .put("/config/passkey", use: passkey.set)
        .get("/config/templates", use: templates.list)
        .put("/config/templates", use: messages.replace)
        .delete("/config/templates", use: templates.reset)
        .post("/config/templates/preview", use: templates.preview)
        .get("/config/templates/:channel/:purpose/:locale", use: templates.get)
        .put("/config/templates/:channel/:purpose/:locale", use: templates.set)
        .delete("/config/templates/:channel/:purpose/:locale", use: templates.remove)
        .get("/config/notices", use: notices.get)
        .put("/config/notices", use: notices.replace)
        .get("/webhooks", use: webhooks.list)
        .post("/webhooks", use: webhooks.create)
        .get("/webhooks/:webhook_id", use: webhooks.get)
        .put("/webhooks/:webhook_id", use: webhooks.replace)
        .delete("/webhooks/:webhook_id", use: webhooks.delete)
        .post("/webhooks/:webhook_id/activate", use: webhooks.activate)
        .get("/webhooks/:webhook_id/deliveries", use: webhooks.deliveries)
        .post("/users", use: users.create)
        .get("/users", use: users.find)
        .post("/users/batch_lookup", use: UserLookupRoutes(users: service.users).find)
        .get("/users/:user_id", use: users.get)
        .delete("/users/:user_id", use: users.delete)
        .put("/users/:user_id/status", use: users.setStatus)
        .put("/users/:user_id/password", use: users.setPassword)
        .put("/users/:user_id/external_id", use: users.setExternalID)
        .patch("/users/:user_id/profile", use: users.mergeProfile)
        .post("/users/:user_id/identifiers", use: users.addIdentifier)
        .delete("/users/:user_id/identifiers", use: users.removeIdentifier)
        .delete("/users/:user_id/limits", use: users.clearLimits)
        .delete("/limits", use: users.clearOtherLimits)
        .get("/blocks", use: blocks.list)
        .post("/blocks", use: blocks.add)
        .delete("/blocks", use: blocks.remove)
        .get("/users/:user_id/export", use: UserExportRoute(exports: service.exports).show)
        .get("/users/:user_id/sessions", use: sessions.list)
        .delete("/users/:user_id/sessions/:session_id", use: sessions.revoke)
        .post("/users/:user_id/sessions/invalidate", use: sessions.revokeAll)
        .get("/users/:user_id/passkeys", use: userPasskeys.list)
        .delete("/users/:user_id/passkeys/:credential_id", use: userPasskeys.delete)
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

/// Routes of the frontend API take their paths from `FrontendPath`, which the SDK uses, too.
extension RouterGroup {
    @discardableResult
    func get(
        _ path: FrontendPath, use handler: @escaping @Sendable (Request, Context) async throws -> Response
    ) -> Self {
        on(RouterPath(path.rawValue), method: .get, use: handler)
    }

    @discardableResult
    func post(
        _ path: FrontendPath, use handler: @escaping @Sendable (Request, Context) async throws -> Response
    ) -> Self {
        on(RouterPath(path.rawValue), method: .post, use: handler)
    }
}

/// The API that a listener serves. Health checks are answered by all.
package enum ServedAPI: Sendable {
    case all
    /// The calls of apps, and the mailbox of development mode.
    case frontend
    case management
}
