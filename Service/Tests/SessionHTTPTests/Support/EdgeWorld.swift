import Foundation
import HTTPTypes
import PreludeSessionTesting
import SessionDomain
import SessionHTTP
import SessionTokens

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

    private let world: ServiceWorld
    private let router: InProcessRouter

    var clock: TestService.Clock { world.clock }
    var mailbox: Mailbox { world.mailbox }
    var operatorEndpoints: OperatorEndpoints { world.operatorEndpoints }
    var service: SessionService { world.service }

    /// - Parameters:
    ///   - hasDefaultApp: Whether the app answers for hosts that name no app.
    ///   - configuredKey: A key of the management API that the configuration names.
    init(
        edge: EdgeOptions = EdgeOptions(exemptsLoopback: true), hasDefaultApp: Bool = false,
        configuredKey: String? = nil,
        configure: (inout App) -> Void = { _ in }
    ) async throws {
        world = try await ServiceWorld(
            clock: TestService.Clock(), origin: "https://{app_id}.session.test", servesAnyHost: hasDefaultApp,
            edge: edge,
            configuredKeys: configuredKey.map { [$0] } ?? [], configure: configure)
        router = InProcessRouter(service: world.service, edge: edge, mailbox: world.mailbox)
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
