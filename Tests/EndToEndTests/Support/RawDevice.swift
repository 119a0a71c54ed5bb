import Foundation
import HTTPTypes
import PreludeSession
import PreludeSessionTesting
import SessionDomain
import SessionHTTP
import SessionTokens
import SessionWire
import Testing

/// A device that says exactly what a test wants: a key, tokens, and proofs with one thing changed.
struct RawDevice {
    /// The claims of a proof, right as they come.
    struct Proof {
        var htm: String
        var htu: String
        var iat: Int64
        var jti: String
        var ath: String?
        var nonce: String?

        fileprivate var claims: [String: JSONValue] {
            var claims: [String: JSONValue] = ["htm": .string(htm), "htu": .string(htu), "jti": .string(jti)]
            claims["iat"] = .int(iat)
            claims["ath"] = ath.map(JSONValue.string)
            claims["nonce"] = nonce.map(JSONValue.string)
            return claims
        }
    }

    /// One call, right as it comes.
    struct Call {
        var scheme = "DPoP"
        var accessToken: String?
        var proofs: [String] = []
        var headers: [String: String] = [:]
    }

    typealias Answer = (status: Int, body: [String: PreludeJSONValue], head: HTTPResponse)

    /// The node that it talks to.
    var world: World
    let key = SigningKey.generate(.es256)
    var accessToken = ""
    var refreshToken = ""
    var tokenType: String?

    init(in world: World) { self.world = world }

    /// Signs in with a code, with a proof at the end.
    static func signedIn(in world: World, email: String = "raw@example.com") async throws -> RawDevice {
        var device = RawDevice(in: world)
        try await device.finalize(try await world.completedLogin(email))
        return device
    }

    /// Turns a completed login into a session of this device's key.
    mutating func finalize(_ challenge: String) async throws {
        let call = Call(proofs: [try sign(proof(.finalize))])
        try take(try await send(.finalize, json: #"{"challenge_token":"\#(challenge)"}"#, call))
    }

    mutating func take(_ answer: Answer) throws {
        try #require(answer.status == 200)
        accessToken = try #require(answer.body["access_token"]?.stringValue)
        tokenType = answer.body["token_type"]?.stringValue
        let name = try #require(HTTPField.Name(HeaderName.refreshToken))
        refreshToken = try #require(answer.head.headerFields[name])
    }

    mutating func refresh() async throws {
        let call = Call(
            proofs: [try sign(proof(.refresh))], headers: [HeaderName.refreshToken: refreshToken])
        try take(try await send(.refresh, json: "{}", call))
    }

    /// The thumbprint that the access token names.
    func confirmation() throws -> String? {
        struct Claims: Decodable { let cnf: SessionDomain.Confirmation? }
        return try JWT.unverifiedClaims(of: accessToken, as: Claims.self).cnf?.jkt
    }

    /// The claims of a good proof for a call of one path.
    func proof(_ path: FrontendPath, accessToken: String? = nil) -> Proof {
        Proof(
            htm: Self.isRead(path) ? "GET" : "POST", htu: World.origin + path.rawValue,
            iat: world.clock.timestamp.seconds, jti: Base64URL.encode(SDKEnvironment.live.randomBytes(16)),
            ath: accessToken.map(DPoPProof.accessTokenHash))
    }

    func sign(_ proof: Proof) throws -> String {
        let header: [String: JSONValue] = [
            "typ": "dpop+jwt", "alg": "ES256",
            "jwk": .object(key.publicJWK.requiredMembers.mapValues(JSONValue.string)),
        ]
        let input =
            Base64URL.encode(try TokenJSON.encode(header)) + "." + Base64URL.encode(try TokenJSON.encode(proof.claims))
        return try input + "." + Base64URL.encode(key.signature(for: Data(input.utf8)))
    }

    /// The good call with the access token at hand.
    func call(_ path: FrontendPath) throws -> Call {
        Call(accessToken: accessToken, proofs: [try sign(proof(path, accessToken: accessToken))])
    }

    /// Sends one call; a path that only reads is a GET.
    func send(_ path: FrontendPath, json: String = "{}", _ call: Call) async throws -> Answer {
        var fields = HTTPFields()
        let isRead = Self.isRead(path)
        if !isRead { fields[.contentType] = "application/json" }
        if let token = call.accessToken { fields[.authorization] = call.scheme + " " + token }
        for proof in call.proofs {
            fields.append(HTTPField(name: try #require(HTTPField.Name(HeaderName.dpop)), value: proof))
        }
        for (name, value) in call.headers { fields[try #require(HTTPField.Name(name))] = value }
        let head = HTTPRequest(
            method: isRead ? .get : .post, scheme: "http", authority: "localhost:8080", path: path.rawValue,
            headerFields: fields)
        let (response, body) = try await world.router.respond(to: head, body: isRead ? nil : Data(json.utf8))
        let object = body.isEmpty ? [:] : try JSONDecoder().decode([String: PreludeJSONValue].self, from: body)
        return (response.status.code, object, response)
    }

    private static func isRead(_ path: FrontendPath) -> Bool { [.sessions, .identifiers].contains(path) }
}

extension FrontendPath {
    /// All that asks for an access token, as the paths say.
    static var signedIn: [FrontendPath] {
        allCases.filter { $0.rawValue.hasPrefix("/v1/session/me/") } + [.stepUpRequest]
    }
}

extension World {
    /// The challenge token of a login whose code was right, and which is not finalized yet.
    func completedLogin(_ email: String) async throws -> String {
        let started = try await call(
            FrontendPath.otp.rawValue, json: #"{"identifier":{"type":"email_address","value":"\#(email)"}}"#)
        let name = try #require(HTTPField.Name(HeaderName.verificationToken))
        let checked = try await call(
            FrontendPath.otpCheck.rawValue, json: #"{"code":"\#(try code(for: email))"}"#,
            headers: [HeaderName.verificationToken: try #require(started.head.headerFields[name])])
        return try #require(checked.body["challenge_token"]?.stringValue)
    }
}
