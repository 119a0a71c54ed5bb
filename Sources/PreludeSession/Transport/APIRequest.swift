internal import Foundation
internal import HTTPTypes
internal import SessionWire

/// One call of the frontend API, without its proof.
struct APIRequest: Sendable {
    /// Which DPoP proof the call carries.
    enum Proof: Sendable {
        case none
        case session
        /// The proof that starts a session, with the id of the login. Each repetition has the same id.
        case login(attempt: String)
        /// The proof of a refresh, with the id of the rotation that it begins or repeats. `RefreshExchange` decides about
        /// each repetition.
        case refresh(attempt: String)
        /// A proof with the `jti` of a challenge token. It has no nonce and is sent once, as the protocol demands.
        case challenge(id: String)

        /// Whether the call is repeated at once with a nonce that the server asks for (RFC 9449 §8).
        var repeatsWithNonce: Bool {
            switch self {
            case .session, .login: true
            case .none, .refresh, .challenge: false
            }
        }
    }

    var method: HTTPRequest.Method = .post
    let path: FrontendPath
    var query: [(name: String, value: String)] = []
    var body: Data?
    var proof: Proof = .none
    var accessToken: String?
    var headers: [String: String] = [:]

    init(_ path: FrontendPath) { self.path = path }

    static func post(_ path: FrontendPath, body: some Encodable) throws -> APIRequest {
        var request = APIRequest(path)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        request.body = try encoder.encode(body)
        return request
    }

    static func get(_ path: FrontendPath, query: [(name: String, value: String)] = []) -> APIRequest {
        var request = APIRequest(path)
        request.method = .get
        request.query = query
        return request
    }

    /// Path and query with percent-encoded values (RFC 3986 §2.3).
    var target: String {
        guard !query.isEmpty else { return path.rawValue }
        var allowed = CharacterSet.alphanumerics
        allowed.insert(charactersIn: "-._~")
        let pairs = query.map { name, value in
            name + "=" + (value.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")
        }
        return path.rawValue + "?" + pairs.joined(separator: "&")
    }
}
