import HTTPTypes
@_spi(Service) import PreludeSession
import PreludeSessionTesting
import SessionConformance
import SessionDomain
import SessionTokens
import SessionWire
import Testing

/// A device without the SDK. A test decides on every token, header and claim that it sends.
struct RawDevice {
    /// The node that the device calls.
    var world: ServiceWorld
    let key: SigningKey
    private(set) var accessToken = ""
    private(set) var refreshToken = ""
    /// `token_type` of the last token response.
    private(set) var tokenType: String?

    /// Signs a new user in with a code.
    init(
        _ world: ServiceWorld, email: String = "ada@example.com", key: SigningKey = PublishedKeys.device
    ) async throws {
        self.init(signedOut: world, key: key)
        try take(await finalize(world.completedLogin(email), id: "finalize"))
    }

    init(signedOut world: ServiceWorld, key: SigningKey = PublishedKeys.device) {
        self.world = world
        self.key = key
    }

    /// Stores the tokens of a response.
    mutating func take(_ answer: ServiceAnswer) throws {
        try #require(answer.status == 200)
        accessToken = try #require(answer.body["access_token"]?.stringValue)
        tokenType = answer.body["token_type"]?.stringValue
        let name = try #require(HTTPField.Name(HeaderName.refreshToken))
        refreshToken = try #require(answer.head.headerFields[name])
    }

    /// The key thumbprint in the access token (`cnf.jkt`).
    func confirmation() throws -> String? {
        struct Claims: Decodable { let cnf: SessionDomain.Confirmation? }
        return try JWT.unverifiedClaims(of: accessToken, as: Claims.self).cnf?.jkt
    }

    /// A valid proof for a request.
    func proof(
        _ method: HTTPRequest.Method, _ path: FrontendPath, id: String = "e1j3V_bKic8-LAEB",
        accessToken: String? = nil, nonce: String? = nil
    ) -> ProofDraft {
        ProofDraft(
            signer: key, method: method.rawValue, url: world.origin + path.rawValue, accessToken: accessToken,
            nonce: nonce, id: id, issuedAt: world.clock.timestamp.seconds)
    }

    /// A valid proof with a random id for a request with an access token.
    func proof(_ path: FrontendPath, accessToken: String) -> ProofDraft {
        proof(
            path.method, path, id: Base64URL.encode(SDKEnvironment.live.randomBytes(16)), accessToken: accessToken)
    }
}

extension FrontendPath {
    /// The paths that need an access token.
    static var signedIn: [FrontendPath] {
        allCases.filter { $0.rawValue.hasPrefix("/v1/session/me/") && $0 != .passkey } + [.stepUpRequest]
    }

    /// The HTTP method of the path.
    var method: HTTPRequest.Method { [.sessions, .identifiers, .passkeys].contains(self) ? .get : .post }
}
