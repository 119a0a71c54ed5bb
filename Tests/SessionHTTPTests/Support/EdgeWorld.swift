import Foundation
import HTTPTypes
import SessionDomain
import SessionHTTP
import SessionSQLite
import SessionTokens

@testable import PreludeSessionTesting

/// A service with one app, called through its router without a network.
struct EdgeWorld: Sendable {
    static let host = "testapp.session.test"

    /// One world for all tests that change nothing. It allows an origin and has a domain of its own.
    static let shared = Task {
        try await EdgeWorld { app in
            app.allowedOrigins = [allowedOrigin]
            app.domains = ["login.customer.example"]
        }
    }
    static let allowedOrigin = "https://app.example"

    let clock = TestClock()
    let mailbox = Mailbox()
    let service: SessionService
    private let router: InProcessRouter

    init(
        edge: EdgeOptions = EdgeOptions(exemptsLoopback: true), hasDefaultApp: Bool = false,
        configure: (inout App) -> Void = { _ in }
    ) async throws {
        let (id, clock) = (try TestApp.id(), clock)
        let live = ServiceEnvironment.live
        let environment = ServiceEnvironment(
            now: { clock.timestamp }, randomBytes: live.randomBytes, sleep: { _ in throw CancellationError() })
        service = SessionService(
            store: try SQLiteStore.open(.memory),
            keys: KeyRing(current: MasterKey(secret: Data(live.randomBytes(32)))),
            hasher: QuickPasswordHasher(randomBytes: live.randomBytes), delivery: mailbox, egress: NoEgress(),
            origins: try PublicOrigins(publicURL: "https://{app_id}.session.test"),
            defaultApp: hasDefaultApp ? id : nil, environment: environment)
        router = InProcessRouter(service: service, edge: edge, mailbox: mailbox)
        _ = try await service.apps.create(id: id, name: "Test") { app in
            app.otpLogins = [
                OTPLoginConfig(id: "lcfg_1", channel: .email, isDefault: true, at: clock.timestamp)
            ]
            configure(&app)
        }
    }

    /// Sends one request.
    ///
    /// - Parameters:
    ///   - json: The body. It adds `Content-Type: application/json`.
    ///   - host: `nil` for a request without a host.
    ///   - peer: The address that the request comes from.
    func call(
        _ method: HTTPRequest.Method, _ path: String, _ headers: HTTPFields = [:], json: String? = nil,
        host: String? = Self.host, peer: String = "127.0.0.1"
    ) async throws -> EdgeResponse {
        var headers = headers
        if json != nil, headers[.contentType] == nil { headers[.contentType] = "application/json" }
        let (head, body) = try await router.respond(
            to: HTTPRequest(method: method, scheme: "https", authority: host, path: path, headerFields: headers),
            body: json.map { Data($0.utf8) }, peerAddress: peer)
        return EdgeResponse(head: head, text: String(decoding: body, as: UTF8.self))
    }

    /// The headers of an operator whose management key is valid for one app, or for all.
    func operatorHeaders(app: AppID? = nil) async throws -> HTTPFields {
        let secret = try await service.managementKeys.create(name: "test", app: app).secret
        return [.authorization: "Bearer " + secret]
    }
}

/// A response of the router.
struct EdgeResponse {
    let head: HTTPResponse
    let text: String

    var status: Int { head.status.code }
    var members: [String: JSONValue] {
        (try? TokenJSON.decode([String: JSONValue].self, from: Data(text.utf8))) ?? [:]
    }
    var code: String? { members["code"]?.stringValue }
    var message: String? { members["message"]?.stringValue }

    /// The value of a header; several values are joined by commas.
    func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { head.headerFields[$0] } }
}

/// A network that reaches no host.
private struct NoEgress: Egress {
    func send(_ request: EgressRequest) async throws(EgressError) -> EgressAnswer { throw .timedOut }
    func validate(url: String) throws(EgressError) {}
}
