import Crypto
import Foundation
import NIOCore
import SessionTokens
import SessionWire

/// Another server that refreshes tokens with proofs (RFC 6749 §6, RFC 9449 §5). `Benchmarks/peers` starts it.
struct Peer: Decodable, Sendable {
    struct Session: Decodable, Sendable {
        /// The secret scalar of the P-256 key in base64url.
        var key: String
        var refreshToken: String
    }

    var name: String
    var pid: Int32
    var port: Int
    /// The path of the token endpoint.
    var path: String
    /// Members of each request besides grant type and token, form-encoded.
    var form: String
    var sessions: [Session]

    init(file: URL) throws { self = try JSONDecoder().decode(Peer.self, from: try Data(contentsOf: file)) }
}

/// Refreshes the token of one session of a peer.
final class OAuthRefresh: Operation {
    let name = "peer"
    private let wire: WireRequest
    private let peer: Peer
    private let proofs: ProofMaker
    private var token: String
    private var nonce: String?
    private var hasRetried = false

    private static let nonceName = SoughtName(HeaderName.dpopNonce)

    init(_ peer: Peer, session: Peer.Session) throws {
        self.peer = peer
        wire = WireRequest(port: peer.port)
        guard let scalar = Base64URL.decode(session.key) else { throw BenchmarkError("a key is not base64url") }
        proofs = ProofMaker(key: try P256.Signing.PrivateKey(rawRepresentation: scalar))
        token = session.refreshToken
    }

    private var purpose: ProofPurpose { ProofPurpose(method: "POST", url: wire.url(peer.path), nonce: nonce) }

    private func request() throws -> ByteBuffer {
        wire.bytes(
            "POST", peer.path, headers: [(HeaderName.dpop, try proofs.proof(purpose))],
            body: "grant_type=refresh_token&refresh_token=\(token)&\(peer.form)",
            contentType: "application/x-www-form-urlencoded")
    }

    func begin() throws -> ByteBuffer? {
        hasRetried = false
        return try request()
    }

    /// A server may require a nonce (RFC 9449 §8): then the request is sent again with it.
    func receive(_ response: Message) throws -> Step {
        let demanded = response.header(Self.nonceName)
        if let demanded { nonce = demanded }
        guard response.status == 200 else {
            guard demanded != nil, !hasRetried else { return .failed }
            hasRetried = true
            return .send(try request())
        }
        guard let next = response.member("refresh_token"), response.member("access_token") != nil else {
            return .failed
        }
        token = next
        return .done
    }

    func prepare() throws { try proofs.prepare(purpose) }
}
