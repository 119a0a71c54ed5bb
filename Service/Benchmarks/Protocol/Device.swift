import NIOCore
import SessionTokens
import SessionWire

/// A device with one key, and the tokens of its session.
final class Device {
    let proofs: ProofMaker
    let wire: WireRequest
    private(set) var refreshToken = ""
    private(set) var accessToken = ""
    private(set) var accessTokenHash = ""
    private(set) var nonce: String?

    private static let refreshTokenName = SoughtName(HeaderName.refreshToken)
    private static let nonceName = SoughtName(HeaderName.dpopNonce)

    init(wire: WireRequest) throws {
        self.wire = wire
        proofs = ProofMaker()
    }

    /// Stores the tokens of a response of `/login/finalize` or `/refresh`.
    func keep(_ response: Message) throws {
        guard let access = response.member("access_token"),
            let refresh = response.header(Self.refreshTokenName)
        else { throw BenchmarkError("a response has no tokens: \(response.bodyText)") }
        accessToken = access
        accessTokenHash = DPoPProof.accessTokenHash(access)
        refreshToken = refresh
        keepNonce(response)
    }

    func keepNonce(_ response: Message) {
        if let new = response.header(Self.nonceName) { nonce = new }
    }

    var refreshPurpose: ProofPurpose {
        ProofPurpose(
            method: "POST", url: wire.url(FrontendPath.refresh.rawValue), nonce: nonce, isRotation: true)
    }

    /// `POST /refresh`.
    func refresh(stepUpToken: String? = nil) throws -> ByteBuffer {
        let headers = [
            (HeaderName.refreshToken, refreshToken), (HeaderName.dpop, try proofs.proof(refreshPurpose)),
        ]
        guard let stepUpToken else { return wire.bytes("POST", FrontendPath.refresh.rawValue, headers: headers) }
        return try wire.bytes("POST", .refresh, headers: headers, json: RefreshRequest(stepUpToken: stepUpToken))
    }

    /// `POST /login/finalize`.
    func finalize(challengeToken: String) throws -> ByteBuffer {
        let purpose = ProofPurpose(method: "POST", url: wire.url(FrontendPath.finalize.rawValue), nonce: nonce)
        return try wire.bytes(
            "POST", .finalize, headers: [(HeaderName.dpop, try proofs.proof(purpose))],
            json: FinalizeRequest(challengeToken: challengeToken))
    }

    func purpose(_ method: String, url: String) -> ProofPurpose {
        ProofPurpose(method: method, url: url, accessTokenHash: accessTokenHash, nonce: nonce)
    }

    /// The headers of a request with the access token, which is bound to the key.
    func authorization(_ purpose: ProofPurpose) throws -> [(String, String)] {
        [("Authorization", "DPoP " + accessToken), (HeaderName.dpop, try proofs.proof(purpose))]
    }
}
