import Crypto
import Foundation
import SessionTokens

/// What a proof is for. A proof that was made ahead is used only for an equal purpose.
struct ProofPurpose: Equatable {
    var method: String
    /// The `htu`: the URL without query.
    var url: String
    /// The hash of the access token that goes along (RFC 9449 §4.2).
    var accessTokenHash: String?
    var nonce: String?
    /// Whether the proof carries the id of a rotation.
    var isRotation = false
    /// The `jti` of a challenge; `nil` for a new one.
    var id: String?
}

/// The key of a device. It makes a new DPoP proof for each request.
///
/// `SessionTokens` writes the header. The claims are written as text, because a generator that is slower than the service
/// would measure itself.
final class ProofMaker {
    private let key: P256.Signing.PrivateKey
    private let header: [UInt8]
    /// Random bytes of this device. Together with a count they make ids that never repeat, without a system call for each.
    private let salt: [UInt8]
    private var count: UInt32 = 0
    private let now: () -> Int
    private var ahead: (purpose: ProofPurpose, proof: String, madeAt: Int)?

    /// Seconds for which a proof that was made ahead is used. The service accepts 60.
    private static let useWithin = 20

    /// - Parameters:
    ///   - key: The key of the device.
    ///   - now: Returns seconds since 1970.
    init(key: P256.Signing.PrivateKey = .init(), now: @escaping () -> Int = { time(nil) }) {
        self.key = key
        header = DPoPProofHeader(publicKey: PublicJWK(key.publicKey)).encoded
        var generator = SystemRandomNumberGenerator()
        salt = (0..<12).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        self.now = now
    }

    /// Makes the next proof now, so that the next request does not wait for it.
    func prepare(_ purpose: ProofPurpose) throws {
        guard purpose.id == nil, !has(purpose) else { return }
        ahead = (purpose, try make(purpose), now())
    }

    /// Returns a proof that was not used before.
    func proof(_ purpose: ProofPurpose) throws -> String {
        guard let made = ahead, has(purpose) else { return try make(purpose) }
        ahead = nil
        return made.proof
    }

    /// Whether a proof for this purpose was made ahead, a short time ago.
    private func has(_ purpose: ProofPurpose) -> Bool {
        ahead.map { $0.purpose == purpose && now() - $0.madeAt <= Self.useWithin } ?? false
    }

    private func make(_ purpose: ProofPurpose) throws -> String {
        var claims = #"{"htm":"\#(purpose.method)","htu":"\#(purpose.url)","iat":\#(now()),"jti":""#
        claims += purpose.id ?? newID()
        claims += "\""
        if let hash = purpose.accessTokenHash { claims += ",\"ath\":\"\(hash)\"" }
        if let nonce = purpose.nonce { claims += ",\"nonce\":\"\(nonce)\"" }
        if purpose.isRotation { claims += ",\"attempt\":\"\(newID())\"" }
        claims += "}"
        var text = header
        text.reserveCapacity(900)
        text.appendBase64URL(Array(claims.utf8))
        let signature = try key.signature(for: text).rawRepresentation
        text.append(UInt8(ascii: "."))
        text.appendBase64URL(signature)
        return String(decoding: text, as: UTF8.self)
    }

    /// A new id in the form of an attempt id: base64url of 16 bytes.
    private func newID() -> String {
        count += 1
        var text: [UInt8] = []
        text.appendBase64URL(salt + withUnsafeBytes(of: count.bigEndian, Array.init))
        return String(decoding: text, as: UTF8.self)
    }
}
