public import Foundation
public import HTTPTypes
public import PreludeSession
import SessionDomain
import SessionWire

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a backend needs of the service to verify tokens, in the tests of that backend.
extension TestService {
    /// Where a verifier is told that the service is. Its host is the issuer (`iss`) of the tokens.
    public var origin: String { ServiceWorld.origin }

    /// The app's id: what tokens are for (`aud`).
    public var appID: String { world.app.rawValue }

    /// The public keys that access tokens are signed with, as the service publishes them now.
    ///
    /// - Returns: A JWK Set (RFC 7517 §5): the body of `/.well-known/jwks.json`.
    /// - Throws: `TestServiceError` when the service does not answer with one.
    public func keySet() async throws -> Data {
        let (response, body) = try await world.router.respond(
            to: HTTPRequest(
                method: .get, scheme: "https", authority: String(origin.dropFirst("https://".count)),
                path: FrontendPath.jwks.rawValue),
            body: nil)
        guard response.status == .ok else {
            throw TestServiceError("the service publishes no keys: it answered \(response.status.code)")
        }
        return body
    }

    /// Gives the key that signs access tokens a successor.
    ///
    /// - Parameter emergency: `false` is as usual: the new key is published now and signs 395 seconds later, and the old one
    ///   stays published until its last token is over. `true` is for a key that leaked: the old one is gone, and the
    ///   new one signs now. Clients keep the token that they have until they refresh: `invalidateSession()` makes that
    ///   the next call. A verifier that has just fetched the keys fetches them again half a minute later.
    /// - Throws: `TestServiceError` for what the service would not do.
    public func rotateSigningKey(emergency: Bool = false) async throws {
        try await explained {
            _ = try await world.service.signingKeys.rotate(
                .access, of: world.app, reason: emergency ? .emergency : .request)
        }
    }

    /// A request to your backend as an app sends it: with the client's access token, and with a proof if that is bound.
    ///
    /// - Parameters:
    ///   - method: Such as `.get`.
    ///   - url: Where apps reach your backend, with path and query, such as `https://api.example.com/orders?page=2`.
    ///   - client: Whose request it is.
    /// - Throws: `TestServiceError` for what is no URL; else as `PreludeSessionClient.authorize(_:)`.
    public func request(
        _ method: HTTPRequest.Method = .get, to url: String, as client: PreludeSessionClient
    ) async throws -> HTTPRequest {
        guard let parts = URLComponents(string: url), let host = parts.percentEncodedHost, !host.isEmpty,
            let address = parts.url
        else {
            throw TestServiceError("\(url) is no URL such as https://api.example.com/orders")
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
