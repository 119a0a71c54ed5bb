import Foundation
import HTTPTypes
import PreludeSessionTesting
import SessionArgon2
import SessionDomain
import SessionHTTP
import SessionSQLite
import SessionTokens
import SessionWire

/// The service over a file of SQLite, without listeners.
struct InProcessService: Sendable {
    enum Way: String, Sendable {
        /// The check of the proof, and the refresh of the domain.
        case domain
        /// The same request through the router, without a connection.
        case router
    }

    private static let origin = "http://localhost:8080"

    private let store: SQLiteStore
    private let service: SessionService
    let router: InProcessRouter
    private let mailbox: Mailbox
    private let app: AppID
    private let checker: DPoPProofChecker

    /// - Parameter folder: Gets the database.
    init(folder: URL) async throws {
        guard let app = AppID(ServiceProcess.app), let target = TargetURI(Self.origin + FrontendPath.refresh.rawValue)
        else { throw BenchmarkError("the id of the app or the target is not valid") }
        self.app = app
        let environment = ServiceEnvironment.live
        let mailbox = Mailbox(now: environment.now)
        self.mailbox = mailbox
        store = try SQLiteStore.open(.file(folder.appendingPathComponent("session.sqlite").path))
        service = SessionService(
            store: store, keys: KeyRing(current: MasterKey(secret: Data(environment.randomBytes(32)))),
            hasher: try Argon2PasswordHasher(), routes: FixedRoutes(mailbox.routes), egress: OperatorEndpoints(),
            origins: try PublicOrigins(publicURL: Self.origin), defaultApp: app, environment: environment)
        router = InProcessRouter(service: service, edge: EdgeOptions(exemptsLoopback: true))
        checker = DPoPProofChecker(method: "POST", targets: [target])
        _ = try await service.apps.create(id: app, name: "Benchmark") { app in
            app.sessions.accessTokenBinding = .dpop
            app.otpLogins = [
                OTPLoginConfig(id: environment.newID("lcfg"), channel: .sms, isDefault: true, at: environment.now())
            ]
        }
    }

    func close() async throws { try await store.close() }

    /// Signs a new user in with a code.
    func signIn(_ number: String) async throws -> InProcessSession {
        let device = ProofMaker()
        let start = try await send(
            .otp, json: StartOTPRequest(identifier: Identifier(type: "phone_number", value: number)))
        guard let verification = start.headerField(HeaderName.verificationToken),
            let code = mailbox.messages.first(where: { $0.to == number })?.code
        else { throw BenchmarkError("the login of \(number) was answered with \(start.status)") }
        let check = try await send(
            .otpCheck, headers: [HeaderName.verificationToken: verification], json: CheckOTPRequest(code: code))
        let challenge = try JSONDecoder().decode(ChallengeResponse.self, from: check.body).challengeToken
        let purpose = ProofPurpose(method: "POST", url: Self.origin + FrontendPath.finalize.rawValue)
        let finalized = try await send(
            .finalize, headers: [HeaderName.dpop: try device.proof(purpose)],
            json: FinalizeRequest(challengeToken: challenge))
        return InProcessSession(
            device: device, url: Self.origin + FrontendPath.refresh.rawValue, refreshToken: try token(of: finalized))
    }

    /// - Returns: The next refresh token.
    func refresh(_ token: String, proof: String, by way: Way) async throws -> String {
        switch way {
        case .domain:
            return try await service.sessions.refresh(
                app: try await service.directory.app(app), token: token, stepUpToken: nil,
                proof: try checker.check(headers: [proof]), device: SessionDomain.Device(), client: ClientFacts()
            ).refreshToken
        case .router:
            return try self.token(
                of: try await send(.refresh, headers: [HeaderName.refreshToken: token, HeaderName.dpop: proof]))
        }
    }

    private func token(of answer: Answer) throws -> String {
        guard let token = answer.headerField(HeaderName.refreshToken) else {
            throw BenchmarkError("no refresh token: \(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
        }
        return token
    }
}
