import Crypto
import Foundation
import Hummingbird
import SessionDomain
import SessionHTTP
import SessionSQLite
import Synchronization

/// The service and what all of its clients share.
final class ServiceWorld: Sendable {
    static let origin = "https://session.test"

    let app: AppID
    let service: SessionService
    let mailbox = Mailbox()
    let log = RequestLog()
    let backend = Mutex<BackendHandler?>(nil)
    let router: InProcessRouter

    init(clock: TestClock, configure: (inout App) -> Void) async throws {
        guard let app = AppID("testapp") else { throw TestServiceError("the test app's id is not one") }
        self.app = app
        let live = ServiceEnvironment.live
        // Nothing waits: what the service does every minute is started by nobody here.
        let environment = ServiceEnvironment(
            now: { clock.timestamp }, randomBytes: live.randomBytes, sleep: { _ in throw CancellationError() })
        service = SessionService(
            store: try SQLiteStore.open(.memory),
            keys: KeyRing(current: MasterKey(secret: Data(live.randomBytes(32)))),
            hasher: QuickPasswordHasher(randomBytes: live.randomBytes), delivery: mailbox, egress: OwnSteps(),
            origins: try PublicOrigins(publicURL: Self.origin), defaultApp: app, environment: environment)
        _ = try await service.apps.create(id: app, name: "Test") { app in
            app.passwordLogin = PasswordLoginConfig(at: clock.timestamp)
            app.otpLogins = OTPLoginConfig.Channel.allCases.map { channel in
                OTPLoginConfig(id: environment.newID("lcfg"), channel: channel, isDefault: true, at: clock.timestamp)
            }
            configure(&app)
        }
        // All tests have one address, so a limit by address would be a limit on tests.
        router = InProcessRouter(service: service, edge: EdgeOptions(exemptsLoopback: true))
    }
}
