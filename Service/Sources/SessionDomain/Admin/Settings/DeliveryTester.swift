/// Sends test messages by the routes of an app, for operators.
package struct DeliveryTester: Sendable {
    /// The result of one route.
    package struct Attempt: Sendable, Equatable {
        /// The name of the route.
        package let route: String
        package let report: RouteReport
    }

    /// Seconds for the attempt at one route.
    static let timeout = 20

    private let apps: AppManagement
    private let routes: DeliveryRoutes
    private let slots: AppSlots
    private let store: any IntentStore
    private let environment: ServiceEnvironment

    init(
        apps: AppManagement, routes: DeliveryRoutes, slots: AppSlots, store: any IntentStore,
        environment: ServiceEnvironment
    ) {
        self.apps = apps
        self.routes = routes
        self.slots = slots
        self.store = store
        self.environment = environment
    }

    /// Sends one message by each route of the channel that the recipient belongs to, all at the same time.
    ///
    /// - Returns: The attempts in the order in which messages try the routes.
    /// - Throws: `Refusal.conflict` if the channel has no route; `.rateLimited`.
    package func test(to recipient: CanonicalIdentifier, app id: AppID) async throws -> [Attempt] {
        let app = try await apps.app(id)
        let message = DeliveryTestMessage(to: recipient, app: app, timeout: Self.timeout)
        let routes = routes.routes(for: app, channel: message.channel)
        guard !routes.isEmpty else {
            throw Refusal.conflict(
                "no delivery by \(message.channel == .email ? "e-mail" : "SMS") is configured, for this app or the service"
            )
        }
        let slot = try slots.take(id)
        defer { withExtendedLifetime(slot) {} }
        let now = environment.now()
        let intent = CountDeliveryTest(
            message, routes: routes.map(\.name), app: id, limit: app.otpLimits.deliveryTests, now: now,
            events: EventFactory(appID: id, environment: environment))
        if let until = try await store.perform(intent) {
            throw ReachedLimit(.deliveryTests, until: until).refusal(now: now, observer: environment.observer)
        }
        return await withTaskGroup(of: (Int, Attempt).self) { [environment] group in
            for (index, route) in routes.enumerated() {
                group.addTask {
                    let report = await RouteReport(sending: message.message(environment), by: route)
                    return (index, Attempt(route: route.name, report: report))
                }
            }
            var attempts: [Int: Attempt] = [:]
            for await (index, attempt) in group { attempts[index] = attempt }
            return routes.indices.compactMap { attempts[$0] }
        }
    }
}

/// Counts a test message and reports it, before it is sent. Returns the time from which to try again if the app has reached the
/// limit.
private struct CountDeliveryTest: Intent {
    let message: DeliveryTestMessage
    /// The names of the routes that it is sent by.
    let routes: [String]
    let app: AppID
    let limit: RateLimit
    let now: Timestamp
    let events: EventFactory

    init(
        _ message: DeliveryTestMessage, routes: [String], app: AppID, limit: RateLimit, now: Timestamp,
        events: EventFactory
    ) {
        self.message = message
        self.routes = routes
        self.app = app
        self.limit = limit
        self.now = now
        self.events = events
    }

    var reads: Read<GuardFailures> { Read(app: app, .failures) }

    func decide(_ failures: GuardFailures) -> Decision<Timestamp?> {
        if let until = failures.limit(of: .deliveryTests) { return Decision(until) }
        return Decision(
            nil,
            [
                .count(.deliveryTests, app: app, limit: limit, now: now),
                .append(events.deliveryTested(message, routes: routes)),
            ])
    }
}

/// A test message. Its code opens nothing; gateways that send codes only need one.
package struct DeliveryTestMessage: Sendable {
    package let to: CanonicalIdentifier
    package let app: App?
    /// Seconds after which the message expires.
    package let timeout: Int

    package init(to recipient: CanonicalIdentifier, app: App?, timeout: Int) {
        to = recipient
        self.app = app
        self.timeout = timeout
    }

    package var channel: OTPLoginConfig.Channel { to.type == .emailAddress ? .email : .sms }

    /// A new message, whose life begins now.
    package func message(_ environment: ServiceEnvironment) -> OutboundMessage {
        let name = app?.nameInMessages ?? "PreludeSession"
        let logins = app?.otpLogins.filter { $0.channel == channel } ?? []
        let login = logins.first(where: \.isDefault) ?? logins.first
        let code = String(repeating: "0", count: login?.codeSize ?? 6)
        return OutboundMessage(
            id: environment.newID("msg"), appID: app?.id ?? .service, appName: name, channel: channel, purpose: .signIn,
            to: to.value, locale: "en", code: code, subject: channel == .email ? "Test message of \(name)" : nil,
            text: "\(code) is a test of the delivery of codes for \(name). It opens nothing.", html: nil,
            senderID: login?.senderID, templateID: login?.templateID, expiresAt: environment.now() + timeout)
    }
}
