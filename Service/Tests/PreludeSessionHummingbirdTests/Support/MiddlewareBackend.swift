import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import PreludeSessionHummingbird
import PreludeSessionVerifier
import SessionConformance
import SessionTokens
import Testing

/// A backend with both middlewares, and the header fields of a device's requests.
struct MiddlewareBackend {
    static let origin = "https://api.example.com"
    static let secret = Data(repeating: 7, count: 32)
    static let now: Int64 = 1_750_000_000

    let router = Router(context: VerifiedContext.self)

    init(nonces: NoncePolicy = .never) throws {
        var options = VerifierOptions()
        options.nonces = nonces
        options.environment = VerifierEnvironment { Date(timeIntervalSince1970: Double(Self.now)) }
        let verifier = try SessionVerifier(
            service: "https://testapp.session.example.com", audience: "testapp", resources: [Self.origin],
            options: options,
            keySource: KeySetLoader {
                try TokenJSON.encode(["keys": [PublishedKeys.service.publicJWK.publishedMembers]])
            })
        router.get("/open") { _, context in try context.requireUser().userID }
        let signedIn = router.group("/accounts").add(middleware: VerifierMiddleware(verifier))
        signedIn.get("/owner") { _, context in try context.requireUser().userID }
        signedIn.get("/conflict") { _, _ -> String in throw HTTPError(.conflict) }
        signedIn.get("/recent") { _, context in
            try context.requireUser().require(issuedWithin: -31)
            return "recent"
        }
        for scope in ["read", "admin"] {
            signedIn.group("/\(scope)").add(middleware: ScopeMiddleware(scope: scope)).get { _, _ in "done" }
            signedIn.group("/stepped/\(scope)").add(middleware: ScopeMiddleware(stepUp: scope)).get { _, _ in "done" }
        }
        router.group("/unverified").add(middleware: ScopeMiddleware(scope: "read")).get { _, _ in "done" }
    }

    static var token: TokenDraft {
        TokenDraft(signer: PublishedKeys.service, issuer: "testapp.session.example.com", audience: "testapp", now: now)
    }

    /// The header fields of a request with a bearer token.
    static func bearer() throws -> HTTPFields { [.authorization: "Bearer \(try token.compact())"] }

    /// The header fields of a request with a bound token and proofs.
    static func bound(path: String, nonce: String? = nil, proofs count: Int = 1) throws -> HTTPFields {
        let token = try token.bound(to: PublishedKeys.device).compact()
        var fields: HTTPFields = [.authorization: "DPoP \(token)"]
        for number in 0..<count {
            let proof = ProofDraft(
                method: "GET", url: origin + path, accessToken: token, nonce: nonce, id: "proof-\(number)",
                issuedAt: now)
            for value in try proof.headers() { fields.append(HTTPField(name: try dpop, value: value)) }
        }
        return fields
    }

    static var dpop: HTTPField.Name { get throws { try #require(HTTPField.Name("DPoP")) } }
    static var dpopNonce: HTTPField.Name { get throws { try #require(HTTPField.Name("DPoP-Nonce")) } }

    func get(_ path: String, _ fields: HTTPFields = [:]) async throws -> TestResponse {
        try await Application(router: router).test(.router) { client in
            try await client.execute(uri: path, method: .get, headers: fields)
        }
    }
}

extension TestResponse {
    /// The `code` of the error body.
    var code: String? {
        (try? JSONDecoder().decode([String: String].self, from: Data(body.readableBytesView)))?["code"]
    }

    var text: String { String(buffer: body) }
}
