import Foundation
import HTTPTypes
import PreludeSession
import PreludeSessionTesting
import SessionArgon2
import SessionDomain
import SessionHTTP
import SessionSQLite
import Testing

/// A service in this process with one app, and what tests need to live in it.
struct World: Sendable {
    let clock = TestClock()
    let mailbox = Mailbox()
    /// Where hooks and webhooks go.
    let internet = FakeInternet()
    private(set) var service: SessionService
    private(set) var router: InProcessRouter
    private let makeService:
        @Sendable (ServiceEnvironment, @escaping @Sendable (ServiceNotice) -> Void) throws -> SessionService
    let appID: AppID
    static let origin = "http://localhost:8080"

    /// - Parameter servesAnyHost: Whether the app answers for hosts that name none.
    init(
        servesAnyHost: Bool = true, keyRotation: KeyRotationPolicy = KeyRotationPolicy(),
        configure: (inout App) -> Void = { _ in }
    ) async throws {
        let clock = clock
        let live = ServiceEnvironment.live
        let environment = ServiceEnvironment(
            now: { clock.timestamp }, randomBytes: live.randomBytes, sleep: { _ in throw CancellationError() })
        let id = try #require(AppID("testapp"))
        appID = id
        let (store, mailbox, internet) = (try SQLiteStore.open(.memory), mailbox, internet)
        let keys = KeyRing(current: MasterKey(secret: Data(live.randomBytes(32))))
        makeService = { environment, notices in
            SessionService(
                store: store, keys: keys, hasher: try Argon2PasswordHasher(), delivery: mailbox, egress: internet,
                origins: try PublicOrigins(publicURL: Self.origin), defaultApp: servesAnyHost ? id : nil,
                environment: environment, keyRotation: keyRotation, notices: notices)
        }
        service = try makeService(environment) { _ in }
        _ = try await service.apps.create(id: id, name: "Test") { app in
            app.passwordLogin = PasswordLoginConfig(at: clock.timestamp)
            app.otpLogins = OTPLoginConfig.Channel.allCases.map { channel in
                OTPLoginConfig(
                    id: environment.newID("lcfg"), channel: channel, isDefault: true, at: clock.timestamp)
            }
            configure(&app)
        }
        router = InProcessRouter(service: service, edge: EdgeOptions())
    }

    /// The same world through another node on its database.
    ///
    /// - Parameter clockError: Seconds by which the node's clock is wrong.
    func node(clockError: Int) throws -> World {
        let clock = clock
        return try node { $0.now = { clock.timestamp + clockError } }
    }

    /// The same world through another node on its database, with a change to what it takes for time and chance.
    func node(
        notices: @escaping @Sendable (ServiceNotice) -> Void = { _ in }, _ change: (inout ServiceEnvironment) -> Void
    ) throws -> World {
        var (other, environment) = (self, service.environment)
        change(&environment)
        other.service = try makeService(environment, notices)
        other.router = InProcessRouter(service: other.service, edge: EdgeOptions())
        return other
    }

    func transport() -> InProcessTransport { InProcessTransport(router: router) }

    /// - Parameter clockError: Seconds by which the device's clock is wrong.
    func client(
        transport: InProcessTransport? = nil, store: (any CredentialStore)? = nil, clockError: Double = 0
    ) throws -> PreludeSessionClient {
        let clock = clock
        return try PreludeSessionClient(
            endpoint: .custom(Self.origin), credentialStore: store ?? InMemoryCredentialStore(),
            transport: transport ?? self.transport(),
            environment: SDKEnvironment(
                now: { clock.timestamp.date.addingTimeInterval(clockError) },
                randomBytes: SDKEnvironment.live.randomBytes))
    }

    /// The newest code for somebody.
    func code(for recipient: String) throws -> String {
        try #require(mailbox.messages.first { $0.to == recipient }).code
    }

    /// A client that has just signed in with a code.
    func signedIn(
        _ email: String = "ada@example.com", transport: InProcessTransport? = nil,
        store: (any CredentialStore)? = nil, clockError: Double = 0
    ) async throws -> PreludeSessionClient {
        let client = try client(transport: transport, store: store, clockError: clockError)
        try await client.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: email)))
        _ = try await client.checkOTP(try code(for: email))
        return client
    }

    /// A request without the SDK; `json` makes it a POST.
    func call(
        _ path: String, json: String? = nil, headers: [String: String] = [:], method: HTTPRequest.Method? = nil,
        host: String = "localhost:8080"
    ) async throws -> (status: Int, body: [String: PreludeJSONValue], head: HTTPResponse) {
        var fields = HTTPFields()
        if json != nil { fields[.contentType] = "application/json" }
        for (name, value) in headers { fields[try #require(HTTPField.Name(name))] = value }
        let head = HTTPRequest(
            method: method ?? (json == nil ? .get : .post), scheme: "http", authority: host, path: path,
            headerFields: fields)
        let (response, body) = try await router.respond(to: head, body: json.map { Data($0.utf8) })
        let object = body.isEmpty ? [:] : try JSONDecoder().decode([String: PreludeJSONValue].self, from: body)
        return (response.status.code, object, response)
    }
}

extension TestClock {
    func advance(seconds: Int) { advance(by: .seconds(seconds)) }
}

/// Whether an error is of a case, whatever its text.
func isUnauthorized(_ error: any Error) -> Bool {
    if case PreludeSessionError.unauthorized = error { true } else { false }
}

func isNetwork(_ error: any Error) -> Bool {
    if case PreludeSessionError.network = error { true } else { false }
}
