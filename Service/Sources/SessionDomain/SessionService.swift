/// All parts of the service over one store. The HTTP layer and the command line call it.
package final class SessionService: Sendable {
    package let directory: AppDirectory
    package let otpLogin: OTPLogin
    package let passwordLogin: PasswordLogin
    package let migrationLogin: MigrationLogin
    package let passkeyLogin: PasskeyLogin
    package let passkeys: PasskeyRegistration
    package let sessions: SessionLifecycle
    package let authenticator: AccessTokenAuthenticator
    package let userSessions: UserSessions
    package let stepUp: StepUp
    package let passwordChange: PasswordChange
    package let apps: AppManagement
    package let loginConfigs: LoginConfigManagement
    package let stepUpConfig: StepUpManagement
    package let claims: ClaimsManagement
    package let tokenPreviews: TokenPreviews
    package let settings: SettingsManagement
    package let delivery: DeliveryManagement
    package let deliveryRoutes: DeliveryRoutes
    package let deliveryTests: DeliveryTester
    package let templates: TemplateManagement
    package let webhooks: WebhookManagement
    /// Sends events to webhooks.
    package let webhookWorker: OutboxWorker<WebhookOutbox>
    /// Sends codes and notices.
    package let messages: OutboxWorker<MessageOutbox>
    package let users: UserManagement
    package let exports: DataExports
    package let managementKeys: ManagementKeys
    package let developmentTokens: DevelopmentTokens
    package let consoleSessions: ConsoleSessions
    package let operators: OperatorManagement
    package let operatorLogin: OperatorLogin
    package let signingKeys: SigningKeys
    package let store: any ServiceStore
    package let environment: ServiceEnvironment
    private let recoveries = RecoveryCounter()
    private let slots: (ofUsers: AppSlots, ofOperators: AppSlots)

    /// - Parameters:
    ///   - routes: Send one-time codes and notices. An OTP login without a route for its channel is rejected.
    ///   - egress: Sends requests to hooks, webhooks and operators' key sets.
    ///   - defaultApp: Serves hosts that name no app.
    ///   - keyRotation: When signing keys are replaced.
    ///   - configuredKeys: Keys of the management API that the configuration names.
    ///   - configuredRoutes: The routes for messages that the configuration names.
    ///   - routeFactory: Makes routes to servers and gateways. `nil`: messages leave by webhooks only.
    ///   - requests: The requests that this process works on. Those that wait for endpoints of apps are a part of them.
    ///   - wrongKeys: Wrong management keys that one address may send in ten minutes.
    package init(
        store: any ServiceStore, keys: KeyRing, hasher: any PasswordHasher, routes: any MessageRoutes,
        egress: any Egress, origins: PublicOrigins, defaultApp: AppID?, environment: ServiceEnvironment,
        keyRotation: KeyRotationPolicy = KeyRotationPolicy(), configuredKeys: [ConfiguredManagementKey] = [],
        configuredRoutes: ConfiguredRoutes = ConfiguredRoutes(), routeFactory: (any RouteFactory)? = nil,
        requests: Int = SessionService.standardRequests, wrongKeys: Int = ManagementKeys.wrongKeys
    ) {
        let sources = SourceLimiter(observer: environment.observer)
        self.store = store
        self.environment = environment
        directory = AppDirectory(
            store: store, keys: keys, origins: origins, defaultApp: defaultApp, keyRotation: keyRotation,
            environment: environment)
        signingKeys = SigningKeys(
            store: store, keys: keys, directory: directory, environment: environment, policy: keyRotation)
        let hookKeys = HookKeys(store: store, keys: keys, directory: directory, environment: environment)
        let call = HookCall(egress: egress, keys: hookKeys, environment: environment)
        deliveryRoutes = DeliveryRoutes(configured: configuredRoutes, factory: routeFactory, keys: keys) {
            [directory] url, channel in
            WebhookRoute(channel: channel, url: url, call: call, directory: directory, environment: environment)
        }
        let routes = RoutesWithCopies(local: routes, configured: deliveryRoutes)
        let messages = OutboxWorker(
            MessageOutbox(
                store: store, directory: directory, keys: keys, routes: routes, environment: environment),
            environment: environment)
        self.messages = messages
        let (ofUsers, ofOperators) = (AppSlots.ofUsers(requests: requests), AppSlots.ofOperators(requests: requests))
        slots = (ofUsers, ofOperators)
        let codes = CodeSender(
            keys: keys, routes: routes, environment: environment, worker: messages,
            hook: SendHook(call: call, slots: ofUsers, store: store, environment: environment), store: store)
        otpLogin = OTPLogin(store: store, keys: keys, codes: codes, sources: sources, environment: environment)
        passwordLogin = PasswordLogin(store: store, keys: keys, hasher: hasher, environment: environment)
        migrationLogin = MigrationLogin(store: store, keys: keys, call: call, slots: ofUsers, environment: environment)
        passkeyLogin = PasskeyLogin(store: store, keys: keys, sources: sources, environment: environment)
        passkeys = PasskeyRegistration(store: store, environment: environment)
        sessions = SessionLifecycle(
            store: store, keys: keys, environment: environment, recoveries: recoveries)
        authenticator = AccessTokenAuthenticator(store: store, environment: environment)
        userSessions = UserSessions(store: store, environment: environment)
        stepUp = StepUp(
            store: store, keys: keys, codes: codes,
            hook: DelegationHook(call: call, slots: ofUsers, store: store, environment: environment),
            customSteps: CustomSteps(operatorKeys: OperatorKeys(egress: egress)), slots: ofUsers,
            environment: environment)
        passwordChange = PasswordChange(store: store, hasher: hasher, environment: environment)
        apps = AppManagement(store: store, keys: signingKeys, directory: directory, environment: environment)
        loginConfigs = LoginConfigManagement(apps: apps, routes: configuredRoutes, environment: environment)
        stepUpConfig = StepUpManagement(apps: apps, keys: hookKeys, egress: egress, environment: environment)
        claims = ClaimsManagement(apps: apps, environment: environment)
        tokenPreviews = TokenPreviews(directory: directory, keys: keys, environment: environment)
        settings = SettingsManagement(apps: apps, hookKeys: hookKeys, egress: egress, environment: environment)
        self.delivery = DeliveryManagement(
            apps: apps, keys: keys, hookKeys: hookKeys, egress: egress, environment: environment)
        deliveryTests = DeliveryTester(
            apps: apps, routes: deliveryRoutes, slots: ofOperators, store: store, environment: environment)
        templates = TemplateManagement(apps: apps, environment: environment)
        webhooks = WebhookManagement(
            store: store, apps: apps, keys: hookKeys, egress: egress, slots: ofOperators, environment: environment)
        webhookWorker = OutboxWorker(
            WebhookOutbox(store: store, directory: directory, call: call, environment: environment),
            environment: environment)
        users = UserManagement(store: store, apps: store, hasher: hasher, keys: keys, environment: environment)
        exports = DataExports(store: store, environment: environment)
        developmentTokens = DevelopmentTokens(directory: directory, store: store, environment: environment)
        managementKeys = ManagementKeys(
            store: store, configured: configuredKeys, sources: sources, wrongKeys: wrongKeys,
            environment: environment)
        operators = OperatorManagement(store: store, apps: apps, users: users, environment: environment)
        operatorLogin = OperatorLogin(
            store: store, directory: directory, codes: otpLogin, passwords: passwordLogin, sessions: sessions,
            environment: environment)
        consoleSessions = ConsoleSessions(
            store: store, keys: keys, managementKeys: managementKeys, login: operatorLogin, environment: environment)
    }

    /// A monitor for a service without a process of its own: it reads the store, and knows nothing else.
    package var healthOfReads: HealthMonitor {
        let health = StoreHealth(uptime: environment.uptime)
        let probe = { @Sendable [store] in
            do {
                _ = try await store.managementKeys()
                health.committed()
            } catch {
                health.failedTransaction(error as? StoreError ?? .unavailable("\(type(of: error))"))
                throw error
            }
        }
        return HealthMonitor(store: health, probes: HealthProbes(write: probe), environment: environment)
    }

    /// The requests that a process works on, unless the configuration says otherwise.
    package static let standardRequests = 512

    /// The calls that wait for an endpoint of their app now.
    package var waitingCalls: (ofUsers: Int, ofOperators: Int) { (slots.ofUsers.count, slots.ofOperators.count) }

    /// The number of routes for messages that fail now.
    package var failingRoutes: Int { messages.outbox.failingRoutes }

    /// Deletes expired rows and rotates signing keys, once a minute, until cancelled. An error is observed, and the next round
    /// retries.
    package func runHousekeeping() async {
        let observer = environment.observer
        let report = { @Sendable (error: any Error) in
            if !(error is CancellationError) { observer.observe(.failed(.housekeeping, error)) }
        }
        let batch = 1000
        var clock = DeletionClock()
        while !Task.isCancelled {
            let (time, jump) = clock.time(now: environment.now(), uptime: environment.uptime())
            if let notice = recoveries.due() { observer.observe(.notice(notice)) }
            if let jump { observer.observe(.notice(.clockJumped(seconds: jump))) }
            do {
                if let time {
                    while try await store.deleteExpired(now: time, limit: batch) >= batch {}
                    try await deleteEvents(now: time, batch: batch)
                }
            } catch {
                report(error)
            }
            do {
                try await managementKeys.recordUses()
            } catch {
                report(error)
            }
            do {
                try await signingKeys.maintain(report: report)
            } catch {
                report(error)
            }
            if (try? await environment.sleep(60)) == nil { return }
        }
    }

    /// Deletes the events of each app that are older than the app keeps them.
    private func deleteEvents(now: Timestamp, batch: Int) async throws {
        let apps = try await store.apps().map { ($0.id, $0.eventRetention) } + [(.service, Retention.eventDays)]
        for (app, days) in apps {
            let ends = Retention.ends(ofEventsKeptFor: days, now: now)
            while try await store.deleteEvents(
                of: app, until: ends.until, pendingUntil: ends.pendingUntil, limit: batch) >= batch
            {}
        }
    }
}

extension SessionService: CustomStringConvertible, CustomReflectable {
    /// Without the members: one line of a log would contain the whole service.
    package var description: String { "SessionService" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
