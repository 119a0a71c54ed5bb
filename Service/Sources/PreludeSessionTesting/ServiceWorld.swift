import Foundation
package import SessionDomain
package import SessionHTTP
import SessionSQLite

/// One service in this process with one app, and everything that its clients and a test share.
package struct ServiceWorld: Sendable {
    package let clock: TestService.Clock
    /// The URL of the service, and the issuer of its tokens.
    package let origin: String
    package let appID: AppID
    /// The messages that the service sent.
    package let mailbox: Mailbox
    /// What the service calls: hooks, webhooks and key sets of operators.
    package let operatorEndpoints = OperatorEndpoints()
    /// What the clients call besides the service.
    package let appBackend = AppBackend()
    package private(set) var service: SessionService
    package private(set) var router: InProcessRouter
    let log = RequestLog()
    private let edge: EdgeOptions
    private let makeService: @Sendable (ServiceEnvironment) -> SessionService

    /// Opens the store of a world.
    @TaskLocal package static var openStore: @Sendable (ServiceEnvironment) throws -> any ServiceStore = {
        try SQLiteStore.open(.memory, observer: $0.observer)
    }

    /// Starts a service with one app that has every login enabled, over a new store: SQLite in memory, unless `openStore` is
    /// changed.
    ///
    /// - Parameters:
    ///   - servesAnyHost: Whether the app answers for hosts that name no app.
    ///   - hasher: Hashes passwords. `nil` is a fast keyed hash.
    ///   - configuredKeys: Keys of the management API that the configuration names.
    ///   - change: Changes what the service uses for time, randomness, RSA keys and sleeping.
    ///   - configure: Changes the app before it is stored.
    package init(
        clock: TestService.Clock, origin: String, servesAnyHost: Bool = true, edge: EdgeOptions,
        hasher: (any PasswordHasher)? = nil, keyRotation: KeyRotationPolicy = KeyRotationPolicy(),
        configuredKeys: [String] = [],
        environment change: (inout ServiceEnvironment) -> Void = { _ in }, configure: (inout App) -> Void
    ) async throws {
        guard let appID = AppID("testapp") else { throw TestServiceError("the id of the test app is not valid") }
        self.clock = clock
        self.origin = origin
        self.appID = appID
        self.edge = edge
        mailbox = Mailbox { clock.timestamp }
        let live = ServiceEnvironment.live
        // No test runs the service's background tasks, so sleeping ends them.
        var changed = ServiceEnvironment(
            now: { clock.timestamp }, randomBytes: live.randomBytes, sleep: { _ in throw CancellationError() })
        change(&changed)
        let environment = changed
        let store = try Self.openStore(environment)
        let keys = KeyRing(current: MasterKey(secret: Data(live.randomBytes(32))))
        let origins = try PublicOrigins(publicURL: origin)
        let configured = configuredKeys.map { ConfiguredManagementKey(secret: $0, now: clock.timestamp) }
        let hasher = hasher ?? QuickPasswordHasher(randomBytes: live.randomBytes)
        makeService = { [mailbox, operatorEndpoints] environment in
            SessionService(
                store: store, keys: keys, hasher: hasher, routes: FixedRoutes(mailbox.routes),
                egress: operatorEndpoints, origins: origins, defaultApp: servesAnyHost ? appID : nil,
                environment: environment, keyRotation: keyRotation, configuredKeys: configured)
        }
        service = makeService(environment)
        router = InProcessRouter(service: service, edge: edge)
        CustomStepSigner.publish(at: operatorEndpoints)
        _ = try await service.apps.create(id: appID, name: "Test") { app in
            app.passwordLogin = PasswordLoginConfig(at: clock.timestamp)
            app.otpLogins = OTPLoginConfig.Channel.allCases.map { channel in
                OTPLoginConfig(id: environment.newID("lcfg"), channel: channel, isDefault: true, at: clock.timestamp)
            }
            // A test signs the same person in many times, within an hour of its clock.
            app.otpLimits.sendsPerHour = 1000
            app.otpLimits.sendsPerDay = 1000
            configure(&app)
        }
    }

    /// The same world, seen through another node on the same database.
    ///
    /// - Parameter change: Changes the node's clock, randomness, sleeping or observer.
    package func node(_ change: (inout ServiceEnvironment) -> Void) -> ServiceWorld {
        var (other, environment) = (self, service.environment)
        change(&environment)
        other.service = makeService(environment)
        other.router = InProcessRouter(service: other.service, edge: edge)
        return other
    }
}
