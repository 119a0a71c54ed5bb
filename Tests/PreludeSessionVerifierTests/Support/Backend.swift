import Foundation
import HTTPTypes
import PreludeSessionVerifier
import SessionConformance
import SessionRSA
import SessionTokens
import Testing

/// A backend with a verifier, and the tokens and proofs of a service and a device.
struct Backend {
    static let service = "https://testapp.session.example.com"
    static let issuer = "testapp.session.example.com"
    static let audience = "testapp"
    static let resource = "https://api.example.com"
    static let url = resource + "/v1/orders"
    static let secret = Data(repeating: 7, count: 32)

    let clock = AdjustableClock()
    let signer: any TokenSigner
    let source: ScriptedKeySource
    let verifier: SessionVerifier

    /// - Parameter configure: Changes the options. The clock is already set.
    init(
        signer: any TokenSigner = PublishedKeys.service, resources: [String] = [Backend.resource],
        configure: (inout VerifierOptions) -> Void = { _ in }
    ) throws {
        self.signer = signer
        source = ScriptedKeySource(try Self.keySet([signer]))
        var options = VerifierOptions()
        options.environment = clock.environment
        configure(&options)
        verifier = try SessionVerifier(
            service: Self.service, audience: Self.audience, resources: resources, options: options, keySource: source)
    }

    static func keySet(_ signers: [any TokenSigner]) throws -> Data {
        try TokenJSON.encode(["keys": signers.map(entry)])
    }

    /// The public key of a signer, as in a key set.
    static func entry(_ signer: any TokenSigner) -> JSONValue {
        .object(signer.publishedMembers.mapValues(JSONValue.string))
    }

    /// A valid bearer token.
    var token: TokenDraft {
        TokenDraft(signer: signer, issuer: Self.issuer, audience: Self.audience, now: clock.seconds)
    }

    /// A valid bearer token that expires in 2033, for tests that advance the clock.
    func longLivedToken(signedBy key: SigningKey = PublishedKeys.service) throws -> String {
        try token.with {
            $0.signer = key
            $0.header["kid"] = .string(key.keyID)
            $0.claims["exp"] = .int(2_000_000_000)
        }.compact()
    }

    /// A valid token that is bound to the device.
    var boundToken: TokenDraft { token.bound(to: PublishedKeys.device) }

    func proof(for token: String, id: String = "e1j3V_bKic8-LAEB", nonce: String? = nil) -> ProofDraft {
        ProofDraft(
            method: "GET", url: Self.url, accessToken: token, nonce: nonce, id: id, issuedAt: clock.seconds)
    }

    static func request(
        _ authorization: [String], proofs: [String] = [], method: HTTPRequest.Method = .get,
        path: String = "/v1/orders?page=2"
    ) throws -> HTTPRequest {
        var fields = HTTPFields()
        for value in authorization { fields.append(HTTPField(name: .authorization, value: value)) }
        for proof in proofs { fields.append(HTTPField(name: try #require(HTTPField.Name("DPoP")), value: proof)) }
        // The authority is wrong on purpose: the verifier must ignore it.
        return HTTPRequest(method: method, scheme: "http", authority: "10.0.0.7", path: path, headerFields: fields)
    }

    /// A valid request with a bound token and a proof, after the given changes.
    func boundRequest(
        id: String = "e1j3V_bKic8-LAEB", nonce: String? = nil,
        token change: (inout TokenDraft) throws -> Void = { _ in },
        proof changeProof: (inout ProofDraft) throws -> Void = { _ in }
    ) throws -> HTTPRequest {
        let token = try boundToken.with(change).compact()
        return try Self.request(
            ["DPoP \(token)"], proofs: proof(for: token, id: id, nonce: nonce).with(changeProof).headers())
    }
}

extension SessionVerifier {
    /// Verifies a token and returns the error. Fails the test if there is none.
    func rejection(of token: String) async throws -> VerificationError {
        try #require(await #expect(throws: VerificationError.self) { try await verify(token) })
    }

    /// Verifies a request and returns the error. Fails the test if there is none.
    func rejection(of request: HTTPRequest) async throws -> VerificationError {
        try #require(await #expect(throws: VerificationError.self) { try await verify(request) })
    }
}

extension SessionVerifier {
    /// The nonce in the response to a valid request.
    var nextNonce: String? { HTTPField.Name("DPoP-Nonce").flatMap { nextHeaderFields[$0] } }
}

extension VerificationError {
    var challenge: String? { headerFields[.wwwAuthenticate] }
}
