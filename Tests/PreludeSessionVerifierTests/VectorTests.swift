import Foundation
import HTTPTypes
import PreludeSessionVerifier
import SessionConformance
import SessionRSA
import SessionTokens
import Testing

/// The test vectors in `Vectors`, made by independent code.
@Suite("Test vectors")
struct VectorTests {
    struct File<Vector: Decodable>: Decodable {
        var issuer: String?
        var audience: String?
        var resource: String?
        var jwks: JSONValue?
        let vectors: [Vector]

        static func load(_ name: String) throws -> Self {
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
            return try JSONDecoder().decode(
                Self.self, from: Data(contentsOf: root.appendingPathComponent("Vectors/\(name)")))
        }

        func verifier(at time: Double) throws -> SessionVerifier {
            var options = VerifierOptions()
            options.environment = VerifierEnvironment { Date(timeIntervalSince1970: time) }
            return try SessionVerifier(
                service: "https://" + #require(issuer), audience: #require(audience),
                resources: resource.map { [$0] } ?? [], options: options,
                keySource: ScriptedKeySource(TokenJSON.encode(#require(jwks))))
        }
    }

    struct AccessToken: Decodable {
        let name: String
        let time: Double
        let token: String
        let user: String?
        let reason: String?
    }

    struct Proof: Decodable {
        let name: String
        let method: String
        let url: String
        let time: Double
        let accessToken: String
        let proofs: [String]
        let jkt: String?
        let reason: String?

        private enum CodingKeys: String, CodingKey {
            case name, method, url, time, proofs, jkt, reason
            case accessToken = "access_token"
        }
    }

    struct Thumbprint: Decodable {
        let name: String
        let jwk: JSONValue
        let accepted: Bool
        let thumbprint: String?
    }

    /// The user or thumbprint of an accepted request, or the reason of the error.
    private func outcome(_ verify: () async throws -> String?) async -> (accepted: String?, reason: String?) {
        do {
            return (try await verify(), nil)
        } catch {
            return (nil, (error as? VerificationError)?.reason.rawValue ?? "\(error)")
        }
    }

    @Test("Every access token of the vectors is accepted or rejected as expected")
    func accessTokens() async throws {
        let file = try File<AccessToken>.load("access-tokens.json")
        for vector in file.vectors {
            let verifier = try file.verifier(at: vector.time)
            let result = await outcome { try await verifier.verify(vector.token).userID }
            #expect(result.accepted == vector.user, "\(vector.name)")
            #expect(result.reason == vector.reason, "\(vector.name)")
        }
        #expect(file.vectors.count > 35)
    }

    @Test("Every proof of the vectors is accepted or rejected as expected")
    func proofs() async throws {
        let file = try File<Proof>.load("dpop-proofs.json")
        for vector in file.vectors {
            let verifier = try file.verifier(at: vector.time)
            let request = try Backend.request(
                ["DPoP " + vector.accessToken], proofs: vector.proofs,
                method: #require(HTTPRequest.Method(vector.method)),
                path: String(vector.url.dropFirst(#require(file.resource).count)))
            let result = await outcome { try await verifier.verify(request).keyThumbprint }
            #expect(result.accepted == vector.jkt, "\(vector.name)")
            #expect(result.reason == vector.reason, "\(vector.name)")
        }
        #expect(file.vectors.count > 35)
    }

    @Test("The MACs of the vectors use the same public key bytes as the mutations (RFC 8725 §2.1)")
    func confusion() throws {
        let tokens = try File<AccessToken>.load("access-tokens.json")
        let proofs = try File<Proof>.load("dpop-proofs.json")
        let named = tokens.vectors.map { ($0.name, $0.token) } + proofs.vectors.map { ($0.name, $0.proofs.first ?? "") }
        var checked = 0
        for (name, text) in named {
            guard
                let spelling = PublicKeyEncoding.allCases.first(where: {
                    name.contains("public key as \($0.rawValue) ")
                })
            else { continue }
            let header = try TokenJSON.decode([String: JSONValue].self, from: JWSText(text).header)
            let jwks = try #require(tokens.jwks)
            let members = try #require((header["kid"] ?? header["jwk"]).flatMap { Self.members(of: $0, in: jwks) })
            #expect(try JWSText.authenticated(text, secret: spelling.bytes(of: members)) == text, "\(name)")
            checked += 1
        }
        #expect(checked == 16)
    }

    /// The members of a key, given as a JWK or by its `kid`.
    private static func members(of key: JSONValue, in jwks: JSONValue) -> [String: String]? {
        if case .object(let members) = key { return members.compactMapValues(\.stringValue) }
        guard case .object(let set) = jwks, case .array(let keys)? = set["keys"] else { return nil }
        return keys.lazy.compactMap { entry -> [String: String]? in
            guard case .object(let members) = entry, members["kid"] == key else { return nil }
            return members.compactMapValues(\.stringValue)
        }.first
    }

    @Test("Every key of the vectors has the expected thumbprint or is rejected (RFC 7638 §3, T1, T2)")
    func thumbprints() async throws {
        for vector in try File<Thumbprint>.load("thumbprints.json").vectors {
            guard case .object(var entry) = vector.jwk else { continue }
            entry["kid"] = "k"
            let key = try PublishedKeySet(
                json: TokenJSON.encode(["keys": [entry]]), algorithms: Set(SignatureAlgorithm.allCases)
            ).key(id: "k")
            #expect(key?.thumbprint == vector.thumbprint, "\(vector.name)")
            #expect((key != nil) == vector.accepted, "\(vector.name)")
        }
    }
}
