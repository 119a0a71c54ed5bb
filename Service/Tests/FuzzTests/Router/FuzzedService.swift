import Foundation
import FuzzReaders
import HTTPTypes
import Hummingbird
import SessionConformance
import SessionDomain
import SessionHTTP
import SessionSQLite
import SessionTokens
import SessionWire
import Synchronization

@testable import PreludeSessionTesting

/// A service in this process, a management key, and a signed-in device.
struct FuzzedService: Sendable {
    static let host = "session.test"

    let clock = TestService.Clock()
    let mailbox: Mailbox
    let service: SessionService
    let router: InProcessRouter
    /// All routes of the router.
    let routes: [Route]
    let managementKey: String
    private(set) var named: [String: String] = [:]
    private(set) var accessToken = ""
    private(set) var refreshToken = ""
    private(set) var verificationToken = ""
    private(set) var nonce: String?
    private var signIns = 0

    struct Route: Sendable, Hashable, CustomStringConvertible {
        let method: HTTPRequest.Method
        let path: String
        var description: String { "\(method.rawValue) \(path)" }
    }

    /// - Parameter seed: The random seed of the service's ids and of the operators' backends.
    init(seed: UInt64) async throws {
        let clock = clock
        mailbox = Mailbox { clock.timestamp }
        let random = Mutex(SplitMix64(seed: seed))
        let environment = ServiceEnvironment(
            now: { clock.timestamp },
            randomBytes: { count in
                random.withLock { random in (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) } }
            }, generateRSAKey: RSAKeySource().next, sleep: { _ in throw CancellationError() })
        guard let app = AppID("testapp") else { throw FuzzTarget.Violation("invalid app id") }
        service = SessionService(
            store: try SQLiteStore.open(.memory),
            keys: KeyRing(current: MasterKey(secret: Data(environment.randomBytes(32)))),
            hasher: QuickPasswordHasher(randomBytes: environment.randomBytes), routes: FixedRoutes(mailbox.routes),
            egress: MutatedBackends(seed: seed), origins: try PublicOrigins(publicURL: "https://" + Self.host),
            defaultApp: app, environment: environment)
        let edge = EdgeOptions(exemptsLoopback: true)
        router = InProcessRouter(service: service, edge: edge)
        routes = buildRouter(service: service, edge: edge).routes
            .map { Route(method: $0.method, path: $0.path.description.replacing(/{([a-z_]+)}/) { ":\($0.1)" }) }
            .sorted { "\($0)" < "\($1)" }
        managementKey = try await service.managementKeys.create(name: "fuzz", app: nil).secret
        _ = try await service.apps.create(id: app, name: "Test") { app in
            app.passwordLogin = PasswordLoginConfig(at: clock.timestamp)
            app.domains = ["session.example.com"]
            app.developmentTokens = true
            app.otpLogins = OTPLoginConfig.Channel.allCases.map { channel in
                OTPLoginConfig(id: environment.newID("lcfg"), channel: channel, isDefault: true, at: clock.timestamp)
            }
        }
        try await createSubjects(app)
    }

    /// Creates what paths and bodies refer to.
    private mutating func createSubjects(_ app: AppID) async throws {
        let victim = try await service.users.create(
            app: app, identifiers: [try CanonicalIdentifier(type: "email_address", value: "victim@example.com")],
            password: RouteSeeds.password)
        named["app_id"] = app.rawValue
        named["user_id"] = victim.id
        named["key_id"] = try await service.managementKeys.create(name: "of the app", app: app).key.id
        named["webhook_id"] = try await service.webhooks.create(
            url: "https://b.example/hook", events: nil, app: app
        ).id
        named["domain_id"] = "session.example.com"
        named["credential_id"] = "AAAA"
        _ = try await manage(
            .put, "/v2/session/apps/testapp/config/passkey",
            RouteSeeds.bodies["PUT /v2/session/apps/:app_id/config/passkey"]?[0] ?? "")
        named["config_id"] = try await service.apps.app(app).otpLogins[0].id
        (named["channel"], named["purpose"], named["locale"]) = ("sms", "sign_in", "de")
        _ = try await manage(
            .put, "/v2/session/apps/testapp/config/delivery",
            RouteSeeds.bodies["PUT /v2/session/apps/:app_id/config/delivery"]?[0] ?? "")
        for path in ["migration", "claims", "stepup"] {
            let seeds = RouteSeeds.bodies["POST /v2/session/apps/:app_id/config/\(path)"] ?? []
            for scope in ["direct", "hooked", "prld:email:register", "prld:pwd:write"] where path == "stepup" {
                try await service.stepUpConfig.register(scope, app: app)
            }
            _ = try await manage(.post, "/v2/session/apps/testapp/config/\(path)", seeds[0])
        }
        let login = try await call(
            .passwordLogin, #"{"identifier":"victim@example.com","password":"\#(RouteSeeds.password)"}"#)
        try await finalize(Self.member("challenge_token", of: login.body))
        named["session_id"] = named["session"]
        try await signIn()
    }

    private mutating func finalize(_ challenge: String?) async throws {
        refreshToken = ""
        try await take(call(.finalize, #"{"challenge_token":"\#(challenge ?? "")"}"#))
        named["session"] = try JWT.unverifiedClaims(of: accessToken, as: SessionClaim.self).sid
    }

    /// Signs a new user in, grants the password scope, and starts a login and a step-up.
    mutating func signIn() async throws {
        signIns += 1
        try await finalize(completedLogin("user\(signIns)@example.com"))
        let granted = try await call(.stepUpRequest, #"{"scope":"prld:pwd:write"}"#)
        if let token = Self.member("challenge_token", of: granted.body) {
            try await take(call(.refresh, #"{"step_up_token":"\#(token)"}"#))
        }
        let asked = try await call(.stepUpRequest, #"{"scope":"direct"}"#)
        named["stepUp"] = Self.member("challenge_token", of: asked.body)
        named["login"] = try await completedLogin("other\(signIns)@example.com")
        named["code"] = try await startedLogin("third\(signIns)@example.com")
    }

    private struct SessionClaim: Decodable { let sid: String }

    private mutating func completedLogin(_ email: String) async throws -> String {
        let code = try await startedLogin(email)
        let checked = try await call(.otpCheck, #"{"code":"\#(code)"}"#)
        guard let token = Self.member("challenge_token", of: checked.body) else { throw Unusable(checked) }
        return token
    }

    private mutating func startedLogin(_ email: String) async throws -> String {
        let started = try await call(.otp, #"{"identifier":{"type":"email_address","value":"\#(email)"}}"#)
        guard let token = Self.header(HeaderName.verificationToken, of: started.head),
            let code = mailbox.messages.first(where: { $0.to == email && $0.code != nil })?.code
        else { throw Unusable(started) }
        verificationToken = token
        return code
    }

    /// The service was changed so that logins fail.
    struct Unusable: Error {
        let answer: String

        init(_ answer: Answer) {
            self.answer = "\(answer.head.status) \(String(decoding: answer.body, as: UTF8.self))"
        }
    }

    private mutating func take(_ answer: Answer) throws {
        guard let access = Self.member("access_token", of: answer.body),
            let refresh = Self.header(HeaderName.refreshToken, of: answer.head)
        else { throw Unusable(answer) }
        accessToken = access
        refreshToken = refresh
    }

    typealias Answer = (head: HTTPResponse, body: Data)

    private func call(_ path: FrontendPath, _ body: String) async throws -> Answer {
        let route = Route(method: .post, path: path.rawValue)
        return try await router.respond(
            to: head(of: route, path: path.rawValue, headers: try headers(of: route)), body: Data(body.utf8))
    }

    private func manage(_ method: HTTPRequest.Method, _ path: String, _ body: String) async throws -> Answer {
        let route = Route(method: method, path: path)
        let answer = try await router.respond(
            to: head(of: route, path: path, headers: try headers(of: route)), body: Data(body.utf8))
        guard answer.0.status.kind == .successful else { throw Unusable(answer) }
        return answer
    }

    /// Stores the nonce and the tokens of a response.
    mutating func note(_ answer: Answer) {
        if let told = Self.header(HeaderName.dpopNonce, of: answer.head) { nonce = told }
        try? take(answer)
    }

    private static func header(_ name: String, of head: HTTPResponse) -> String? {
        HTTPField.Name(name).flatMap { head.headerFields[$0] }
    }

    private static func member(_ name: String, of body: Data) -> String? {
        (try? TokenJSON.decode([String: JSONValue].self, from: body))?[name]?.stringValue
    }
}
