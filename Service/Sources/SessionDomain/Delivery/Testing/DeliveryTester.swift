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
    private let places: AppPlaces
    private let store: any IntentStore
    private let environment: ServiceEnvironment

    init(
        apps: AppManagement, routes: DeliveryRoutes, places: AppPlaces, store: any IntentStore,
        environment: ServiceEnvironment
    ) {
        self.apps = apps
        self.routes = routes
        self.places = places
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
        let place = try places.take(id)
        defer { withExtendedLifetime(place) {} }
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
struct CountDeliveryTest: Intent {
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

    var facts: FactQuery { FactQuery(app: app) }

    func decide(_ facts: Facts) -> Decision<Timestamp?> {
        if let until = facts.limit(of: .deliveryTests) { return Decision(until) }
        return Decision(
            nil,
            [
                .count(.deliveryTests, app: app, limit: limit, now: now),
                .append(events.deliveryTested(message, routes: routes)),
            ])
    }
}
