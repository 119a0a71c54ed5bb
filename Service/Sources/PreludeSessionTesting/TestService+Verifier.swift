public import Foundation
public import HTTPTypes
public import PreludeSession
import SessionDomain
import SessionWire

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What the tests of a backend need to verify tokens.
extension TestService {
    /// The URL of the service for a verifier. Its host is the issuer (`iss`) of the tokens.
    public var origin: String { world.origin }

    /// The app's id, which is the audience (`aud`) of the tokens.
    public var appID: String { world.appID.rawValue }

    /// The public keys for access tokens, as the service publishes them now.
    ///
    /// - Returns: The JWK Set at `/.well-known/jwks.json` (RFC 7517 §5).
    /// - Throws: `TestServiceError` when the service does not publish one.
    public func keySet() async throws -> Data {
        let (response, body) = try await world.router.respond(
            to: HTTPRequest(
                method: .get, scheme: "https", authority: String(origin.dropFirst("https://".count)),
                path: FrontendPath.jwks.rawValue),
            body: nil)
        guard response.status == .ok else {
            throw TestServiceError("the service did not publish its keys: the status is \(response.status.code)")
        }
        return body
    }

    /// Rotates the key that signs access tokens.
    ///
    /// In an emergency, clients keep their access token until they refresh. Call `invalidateSession()` so that the next
    /// call refreshes. A verifier waits 30 seconds between two fetches of the keys.
    ///
    /// - Parameter emergency: `false` publishes the new key now and signs with it after 395 seconds. The old key stays
    ///   published until its last token has expired. `true` is for a leaked key: it deletes the old key and signs with
    ///   the new key at once.
    /// - Throws: `TestServiceError` when the service rejects the rotation.
    public func rotateSigningKey(emergency: Bool = false) async throws {
        try await explained {
            _ = try await world.service.signingKeys.rotate(
                .access, of: world.appID, reason: emergency ? .emergency : .request)
        }
    }

    /// A request to your backend as an app sends it: with the client's access token, and with a proof for a bound token.
    ///
    /// - Parameters:
    ///   - method: The HTTP method.
    ///   - url: The URL with path and query, as apps call it, such as `https://api.example.com/orders?page=2`.
    ///   - client: The client that sends the request.
    /// - Throws: `TestServiceError` for an invalid URL. Otherwise the errors of `PreludeSessionClient.authorize(_:)`.
    public func request(
        _ method: HTTPRequest.Method = .get, to url: String, as client: PreludeSessionClient
    ) async throws -> HTTPRequest {
        guard let parts = URLComponents(string: url), let host = parts.percentEncodedHost, !host.isEmpty,
            let address = parts.url
        else {
            throw TestServiceError("\(url) is not a valid URL; an example is https://api.example.com/orders")
        }
        var native = URLRequest(url: address)
        native.httpMethod = method.rawValue
        try await client.authorize(&native)
        var fields = HTTPFields()
        for (name, value) in native.allHTTPHeaderFields ?? [:] {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        return HTTPRequest(
            method: method, scheme: parts.scheme, authority: parts.port.map { "\(host):\($0)" } ?? host,
            path: path + (parts.percentEncodedQuery.map { "?" + $0 } ?? ""), headerFields: fields)
    }
}
