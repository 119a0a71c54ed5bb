internal import Crypto
public import Foundation

/// The protected header of a key's DPoP proofs (RFC 9449 §4.2). It is the same in all of them, so it is encoded once.
public struct DPoPProofHeader: Sendable {
    /// The header in base64url, and the dot that follows it.
    public let encoded: [UInt8]

    public init(publicKey: PublicJWK) {
        let header = TokenJSON.write([
            "alg": .string(SignatureAlgorithm.es256.rawValue), "typ": .string(TokenType.dpopProof),
            "jwk": .object(publicKey.requiredMembers.mapValues(JSONValue.string)),
        ])
        encoded = Array((Base64URL.encode(header) + ".").utf8)
    }
}

/// A DPoP proof without its signature. The caller signs it, because the key may be in hardware.
public struct DPoPProof: Sendable {
    /// The ASCII text to sign with ES256.
    public let signingInput: Data

    /// Prepares a proof for one request. It needs no encoder and no text in between: an app makes one for each request.
    ///
    /// - Parameters:
    ///   - header: The header of the signing key.
    ///   - method: The request's method, as sent.
    ///   - target: The request's target without query and fragment (RFC 9449 §4.2).
    ///   - accessTokenHash: `accessTokenHash(_:)` of the request's access token; `nil` if it has none.
    ///   - nonce: The last nonce from the server (RFC 9449 §8).
    ///   - attempt: The id of the rotation that a refresh begins or repeats; `nil` for other requests.
    ///   - id: A new `jti` with at least 96 random bits.
    ///   - issuedAt: Seconds since 1970, by the server's clock if it is known.
    public init(
        header: DPoPProofHeader, method: String, target: TargetURI, accessTokenHash: String? = nil,
        nonce: String? = nil, attempt: String? = nil, id: String, issuedAt: Int64
    ) {
        let claims = JSONWriter.writeSorted { claims in
            claims.member("ath", accessTokenHash)
            claims.member("attempt", attempt)
            claims.member("htm", method)
            claims.member("htu", target.absoluteString)
            claims.member("iat", issuedAt)
            claims.member("jti", id)
            claims.member("nonce", nonce)
        }
        var input = Data(count: header.encoded.count + Base64URL.encodedCount(claims.count))
        input.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) in
            bytes.copyBytes(from: header.encoded)
            let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[header.encoded.count...])
            claims.withUnsafeBufferPointer {
                _ = Base64URL.encode(buffer: $0, into: rest.assumingMemoryBound(to: UInt8.self))
            }
        }
        signingInput = input
    }

    /// The value of the `DPoP` header.
    ///
    /// - Parameter signature: The raw 64-byte signature of `signingInput`.
    public func compact(signature: Data) -> String {
        let dot = signingInput.count
        return String(unsafeUninitializedCapacity: dot + 1 + Base64URL.encodedCount(signature.count)) { text in
            _ = signingInput.copyBytes(to: text)
            text[dot] = UInt8(ascii: ".")
            let rest = UnsafeMutableBufferPointer(rebasing: text[(dot + 1)...])
            return dot + 1
                + signature.withUnsafeBytes { Base64URL.encode(buffer: $0.bindMemory(to: UInt8.self), into: rest) }
        }
    }

    /// `ath`: base64url of SHA-256 over the ASCII access token (RFC 9449 §4.2).
    public static func accessTokenHash(_ token: String) -> String {
        SHA256.digest(of: token).withUnsafeBytes { Base64URL.encode($0) }
    }
}
