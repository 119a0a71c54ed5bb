import Crypto
import Foundation
import HTTPTypes
import Measurement
import PreludeSessionVerifier
import Synchronization

/// Compares `verify(_:)` of a request with a bound token and its proof with the checks of both signatures.
func boundToken() {
    final class Requests: Sendable {
        private let device = P256.Signing.PrivateKey()
        private let token: String
        private let ahead = Mutex<[HTTPRequest]>([])
        let check: @Sendable () -> Bool

        init(_ issuer: Issuer) throws {
            let point = device.publicKey.rawRepresentation
            let (x, y) = (Base64URL.encode(point.prefix(32)), Base64URL.encode(point.suffix(32)))
            let members = #"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#
            token = try issuer.token(.edDSA, boundTo: Base64URL.encode(SHA256.hash(data: Data(members.utf8))))
            jwk = members
            let message = Data(repeating: 0x61, count: 400)
            let (signature, key) = (try device.signature(for: message), device.publicKey)
            check = { key.isValidSignature(signature, for: message) }
        }

        private let jwk: String
        var bearer: String { token }

        /// Makes requests in advance, so that the signing of their proofs is not measured.
        func prepare(_ count: Int) throws {
            let made = try (0..<count).map { _ in try request() }
            ahead.withLock { $0 = made }
        }

        func next() throws -> HTTPRequest {
            guard let request = ahead.withLock({ $0.popLast() }) else { throw Unexpected() }
            return request
        }

        private func request() throws -> HTTPRequest {
            let claims = #"""
                {"ath":"\#(Base64URL.encode(SHA256.hash(data: Data(token.utf8))))","htm":"GET",\#
                "htu":"https://api.example.com/v1/notes/42","iat":\#(Int(Date().timeIntervalSince1970)),\#
                "jti":"\#(UUID().uuidString)"}
                """#
            let header = #"{"alg":"ES256","jwk":\#(jwk),"typ":"dpop+jwt"}"#
            let input = Base64URL.encode(header.utf8) + "." + Base64URL.encode(claims.utf8)
            let proof = try input + "." + Base64URL.encode(device.signature(for: Data(input.utf8)).rawRepresentation)
            var request = HTTPRequest(
                method: .get, scheme: "https", authority: "api.example.com", path: "/v1/notes/42")
            request.headerFields[.authorization] = "DPoP " + token
            if let name = HTTPField.Name("DPoP") { request.headerFields[name] = proof }
            return request
        }
    }
    struct Stage {
        let verifier: SessionVerifier
        let requests: Requests
        let check: () -> Bool
    }
    let calls = 100
    Comparison(
        "verify(request) DPoP", calls: calls,
        stage: {
            let issuer = try Issuer()
            let requests = try Requests(issuer)
            return Stage(
                verifier: try issuer.verifier(), requests: requests,
                check: try issuer.bareCheck(.edDSA, of: requests.bearer))
        },
        reference: { stage in { guard stage.check(), stage.requests.check() else { throw Unexpected() } } },
        subject: { stage in
            try stage.requests.prepare(calls)
            return { _ = try await stage.verifier.verify(try stage.requests.next()) }
        }
    ).register()
}
