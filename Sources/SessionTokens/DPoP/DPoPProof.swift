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

/// Why a DPoP proof is rejected: the failed step of RFC 9449 §4.3.
public enum DPoPError: Error, Equatable {
    /// Step 1: the request has no `DPoP` header, or more than one.
    case missing, moreThanOne
    /// Steps 2, 3: the value is not one well-formed JWT with all required claims.
    case malformed
    /// Step 4: `typ` is not `dpop+jwt`.
    case wrongType
    /// Step 5: `alg` is not a supported asymmetric algorithm.
    case unsupportedAlgorithm
    /// Step 6: the signature does not verify with the key in the header.
    case invalidSignature
    /// Step 7: the header's key is private, has an unsupported type, or is not a point on the curve.
    case invalidKey
    /// Step 8: `htm` is not the request's method.
    case wrongMethod
    /// Step 9: `htu` is not the request's URI.
    case wrongTarget
    /// Step 12: `ath` is not the hash of the access token.
    case wrongAccessToken
}

/// A proof with checked signature, method, target and access token hash.
///
/// The caller must still check that the proof is fresh and unused. That needs a clock, nonces and a store.
public struct CheckedProof: Sendable, Equatable {
    public let key: PublicJWK
    public let id: String
    /// Seconds since 1970, by the client's clock.
    public let issuedAt: Double
    public let nonce: String?
    /// The id of the rotation that the request begins or repeats; `nil` if the proof has none.
    public let attempt: String?
    /// Whether the proof holds the hash of the request's access token.
    public let coversAccessToken: Bool
    /// The header, to be known from now on. `nil`: it was known, or is too long.
    public let newHeader: KnownProofHeader?

    public var thumbprint: String { key.thumbprint }

    /// The id of this proof in a replay store: a hash of its key and `jti` (RFC 9449 §11.1).
    public var replayKey: String {
        SHA256.digest(of: thumbprint, ".", id).withUnsafeBytes { Base64URL.encode($0) }
    }
}

/// The stateless checks of RFC 9449 §4.3, one function per step.
public struct DPoPProofChecker: Sendable {
    /// The maximum length of `jti` and `nonce` in bytes.
    public static let maximumIDLength = 256

    /// The length of an attempt id in bytes, before it is encoded.
    public static let attemptLength = 16

    /// The upper limit for `iat`. A `Double` below it converts to an integer without a trap.
    private static let maximumTime = 0x1p53

    private let method: String
    private let targets: [TargetURI]
    private let accessToken: String?
    private let accessTokenHash: AccessTokenHash
    private let known: KnownProofHeader?

    /// Whether a proof that is sent with an access token must hold its hash.
    public enum AccessTokenHash: Sendable {
        /// The hash is required, as for bound access tokens (RFC 9449 §4.3 step 12).
        case required
        /// The hash may be missing but must not be wrong, for access tokens that are not bound.
        case whenPresent
    }

    /// - Parameters:
    ///   - method: The request's method.
    ///   - targets: The request's URI for each configured origin of this server.
    ///   - accessToken: The access token of the request; `nil` if it has none.
    ///   - accessTokenHash: Whether the proof must hold the hash of that token.
    ///   - known: The header that the proof probably has, so that it is not read again. Another one is valid as well.
    public init(
        method: String, targets: [TargetURI], accessToken: String? = nil,
        accessTokenHash: AccessTokenHash = .required, known: KnownProofHeader? = nil
    ) {
        self.method = method
        self.targets = targets
        self.accessToken = accessToken
        self.accessTokenHash = accessTokenHash
        self.known = known
    }

    /// Checks the proof of one request.
    ///
    /// - Parameter headers: The values of all `DPoP` headers of the request, not joined.
    public func check(headers: [String]) throws(DPoPError) -> CheckedProof {
        let proof = try single(headers)
        let isKnown = known?.begins(proof) ?? false
        let (key, payload) = try isKnown ? verifiedByKnownHeader(proof) : verified(proof)
        let claims = try requiredClaims(payload)
        try checkMethod(claims)
        try checkTarget(claims)
        let coversAccessToken = try checkAccessToken(claims)
        return CheckedProof(
            key: key, id: claims.jti, issuedAt: claims.iat, nonce: claims.nonce, attempt: claims.attempt,
            coversAccessToken: coversAccessToken,
            newHeader: isKnown
                ? nil : EncodedHeader.text(of: proof).map { KnownProofHeader(encoded: $0, key: key) })
    }

    private func verified(_ proof: String) throws(DPoPError) -> (PublicJWK, payload: Data) {
        let jws = try parse(proof)
        try checkType(jws)
        try checkAlgorithm(jws)
        let key = try publicKey(of: jws)
        try checkSignature(jws, with: key)
        return (key, jws.payload)
    }

    /// Type, algorithm and key were checked when the header was read.
    private func verifiedByKnownHeader(_ proof: String) throws(DPoPError) -> (PublicJWK, payload: Data) {
        guard let key = known?.key, let parts = try? CompactParts(proof, decodingHeader: false) else {
            throw .malformed
        }
        guard key.isValidSignature(parts.signature, for: parts.signingInput) else { throw .invalidSignature }
        return (key, parts.payload)
    }

    /// The URL that a proof names, normalised and without query, for a log. `nil` if it is no http or https URL of at most
    /// `maximumIDLength` bytes.
    public func claimedTarget(headers: [String]) -> TargetURI? {
        guard let jws = try? parse(try single(headers)), let htu = try? requiredClaims(jws.payload).htu,
            htu.utf8.count <= Self.maximumIDLength
        else { return nil }
        return TargetURI(htu)
    }

    private func single(_ headers: [String]) throws(DPoPError) -> String {
        guard let header = headers.first else { throw .missing }
        guard headers.count == 1 else { throw .moreThanOne }
        return header
    }

    private func parse(_ header: String) throws(DPoPError) -> CompactJWS {
        do {
            return try CompactJWS(parsing: header)
        } catch .unsupportedAlgorithm {
            throw .unsupportedAlgorithm
        } catch {
            throw .malformed
        }
    }

    private func checkType(_ jws: CompactJWS) throws(DPoPError) {
        guard jws.header.typ?.lowercased() == TokenType.dpopProof else { throw .wrongType }
    }

    private func checkAlgorithm(_ jws: CompactJWS) throws(DPoPError) {
        guard jws.algorithm == .es256 else { throw .unsupportedAlgorithm }
    }

    private func publicKey(of jws: CompactJWS) throws(DPoPError) -> PublicJWK {
        guard let jwk = jws.header.jwk else { throw .malformed }
        do {
            let key = try PublicJWK(jwk)
            guard key.algorithm == .es256 else { throw JWKError.unsupportedKey }
            return key
        } catch is JWKError {
            throw .invalidKey
        } catch {
            throw .malformed
        }
    }

    private func checkSignature(_ jws: CompactJWS, with key: PublicJWK) throws(DPoPError) {
        do {
            try jws.verify(with: key)
        } catch {
            throw .invalidSignature
        }
    }

    private func requiredClaims(_ payload: Data) throws(DPoPError) -> DPoPClaims {
        guard let claims = try? TokenJSON.read(DPoPClaims.self, from: payload),
            (1...Self.maximumIDLength).contains(claims.jti.utf8.count),
            claims.nonce.map({ $0.utf8.count <= Self.maximumIDLength }) ?? true,
            claims.attempt.map({ $0.utf8.count <= Self.maximumIDLength && isAttempt($0) }) ?? true,
            claims.iat.magnitude < Self.maximumTime
        else { throw .malformed }
        return claims
    }

    private func isAttempt(_ text: String) -> Bool { Base64URL.decode(text)?.count == Self.attemptLength }

    private func checkMethod(_ claims: DPoPClaims) throws(DPoPError) {
        // Compare bytes: for ==, the Kelvin sign U+212A is the letter K.
        guard claims.htm.utf8.elementsEqual(method.utf8) else { throw .wrongMethod }
    }

    private func checkTarget(_ claims: DPoPClaims) throws(DPoPError) {
        // Most clients send the normalised form, which need not be parsed.
        if targets.contains(where: { $0.isWritten(as: claims.htu) }) { return }
        guard let claimed = TargetURI(claims.htu), targets.contains(claimed) else { throw .wrongTarget }
    }

    /// Returns whether the proof has a hash of the access token. Throws if the hash is wrong.
    private func checkAccessToken(_ claims: DPoPClaims) throws(DPoPError) -> Bool {
        guard let accessToken else { return false }
        guard let ath = claims.ath else {
            if accessTokenHash == .required { throw .wrongAccessToken }
            return false
        }
        guard ConstantTime.equal(ath, DPoPProof.accessTokenHash(accessToken)) else { throw .wrongAccessToken }
        return true
    }
}

/// The claims of a DPoP proof (RFC 9449 §4.2).
private struct DPoPClaims: JSONObjectReadable {
    let jti: String
    let htm: String
    let htu: String
    /// Seconds since 1970. Some clients send fractions (RFC 7519 §2).
    let iat: Double
    let nonce: String?
    let ath: String?
    /// The id of the rotation that this request begins or repeats: base64url of 16 bytes. A claim of this protocol.
    let attempt: String?

    init(_ object: JSONObject) throws {
        jti = try object.string("jti")
        htm = try object.string("htm")
        htu = try object.string("htu")
        iat = try object.number("iat")
        nonce = try object.stringIfPresent("nonce")
        ath = try object.stringIfPresent("ath")
        attempt = try object.stringIfPresent("attempt")
    }
}

/// The header of a proof whose signature was valid, as it was sent, and the key in it.
///
/// A device sends the same header with each proof. A checker that knows it reads neither its JSON nor its key again, which
/// costs more than all comparisons of a request.
public struct KnownProofHeader: Sendable, Equatable {
    /// The header in base64url.
    public let encoded: String
    public let key: PublicJWK

    /// - Parameter encoded: The header of a proof whose signature is valid, with this key in it.
    public init(encoded: String, key: PublicJWK) {
        self.encoded = encoded
        self.key = key
    }

    /// Whether a proof begins with exactly this header.
    fileprivate func begins(_ proof: String) -> Bool { EncodedHeader.begins(proof, with: encoded) }
}
