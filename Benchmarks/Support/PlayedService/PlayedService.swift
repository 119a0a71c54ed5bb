public import Foundation
public import HTTPTypes
public import PreludeSession
import Synchronization

/// A fake session service in memory for measurements of the client. The real service would cost more than the client.
///
/// It responds to a login and to refreshes with tokens of realistic size, and counts refreshes. All other requests go to
/// the default transport.
public final class PlayedService: PreludeSessionTransport {
    private static let network = PreludeURLSessionTransport()

    private let tokens: AccessTokens
    private let bound: Bool
    private let firstLifetime: Int
    private let beforeRefresh: @Sendable () async -> Void
    private let refreshed = Mutex(0)

    /// - Parameters:
    ///   - bound: Whether access tokens are bound to the device's key, so that each call needs a proof (RFC 9449 §6).
    ///   - firstLifetime: The lifetime of a login's access token in seconds. Access tokens of refreshes live for 300.
    ///   - beforeRefresh: Runs before each response to a refresh.
    public init(
        bound: Bool = false, firstLifetime: Int = 300, beforeRefresh: @escaping @Sendable () async -> Void = {}
    ) throws {
        tokens = try AccessTokens()
        self.bound = bound
        self.firstLifetime = firstLifetime
        self.beforeRefresh = beforeRefresh
    }

    /// The number of received refresh requests.
    public var refreshes: Int { refreshed.withLock { $0 } }

    public func send(
        _ request: HTTPRequest, body: Data?, timeout: TimeInterval
    ) async throws -> (HTTPResponse, Data) {
        switch request.path {
        case "/v1/session/login/email/password":
            return (HTTPResponse(status: .ok), Data(#"{"challenge_token":"challenge"}"#.utf8))
        case "/v1/session/login/finalize":
            return try signedIn(request, lifetime: firstLifetime)
        case "/v1/session/refresh":
            refreshed.withLock { $0 += 1 }
            await beforeRefresh()
            return try signedIn(request, lifetime: 300)
        default:
            return try await Self.network.send(request, body: body, timeout: timeout)
        }
    }

    private func signedIn(_ request: HTTPRequest, lifetime: Int) throws -> (HTTPResponse, Data) {
        let now = Int(Date().timeIntervalSince1970)
        let body = Body(
            accessToken: try tokens.issue(
                at: now, lifetime: lifetime, boundTo: bound ? try ProofKey.thumbprint(of: request) : nil),
            expiresAt: now + lifetime,
            tokenType: bound ? "DPoP" : "Bearer")
        var response = HTTPResponse(status: .ok)
        if let name = HTTPField.Name("x-refresh-token") { response.headerFields[name] = "rt_" + UUID().uuidString }
        return (response, try JSONEncoder().encode(body))
    }

    private struct Body: Encodable {
        let accessToken: String
        let expiresAt: Int
        let tokenType: String

        private enum CodingKeys: String, CodingKey {
            case accessToken = "access_token"
            case expiresAt = "expires_at"
            case tokenType = "token_type"
        }
    }
}

extension PlayedService {
    /// Creates a client and signs it in.
    public func signIn(
        endpoint: Endpoint = .custom("https://session.test"),
        store: any PreludeCredentialStore = PreludeInMemoryCredentialStore()
    ) async throws -> PreludeSessionClient {
        var configuration = PreludeSessionClient.Configuration(endpoint: endpoint)
        configuration.credentialStore = store
        configuration.transport = self
        let client = try PreludeSessionClient(configuration: configuration)
        _ = try await client.loginWithPassword(
            LoginWithPasswordOptions(emailAddress: "ada@example.com", password: "a long password"))
        return client
    }
}
