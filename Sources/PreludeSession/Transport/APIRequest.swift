internal import Foundation
internal import HTTPTypes
internal import SessionWire

/// One call of the frontend API, without its proof.
struct APIRequest: Sendable {
    /// Which DPoP proof the call carries.
    enum Proof: Sendable {
        case none
        case session
        /// A proof with the `jti` of a challenge token. It has no nonce and is sent once, as the protocol demands.
        case challenge(id: String)

        /// Whether the call may be repeated with a nonce (RFC 9449 §8).
        var takesNonce: Bool { if case .challenge = self { false } else { true } }
    }

    var method: HTTPRequest.Method = .post
    let path: FrontendPath
    var query: [(name: String, value: String)] = []
    var body: Data?
    var proof: Proof = .none
    /// The id of the rotation that a refresh begins or repeats.
    var attempt: String?
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
