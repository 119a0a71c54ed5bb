public import Foundation

/// Signs and verifies this project's JWTs (RFC 7519). They always have `typ` and `kid`.
public enum JWT {
    /// Signs claims as a token of one type.
    public static func sign(_ claims: some Encodable, type: String, key: some TokenSigner) throws -> String {
        try sign(payload: TokenJSON.encode(claims), type: type, key: key)
    }

    /// Signs claims that need no encoder.
    public static func sign(_ claims: some JSONWritable, type: String, key: some TokenSigner) throws -> String {
        try sign(payload: TokenJSON.write(claims), type: type, key: key)
    }

    /// Signs claims that are encoded already, for tokens that are signed with every request.
    ///
    /// - Parameter payload: The claims as a JSON object.
    public static func sign(payload: Data, type: String, key: some TokenSigner) throws -> String {
        let input = Base64URL.encode(header(type: type, key: key)) + "." + Base64URL.encode(payload)
        return try input + "." + Base64URL.encode(key.signature(for: Data(input.utf8)))
    }

    /// The header of a token that this key signs, as JSON.
    public static func header(type: String, key: some TokenSigner) -> [UInt8] {
        JSONWriter.writeSorted { header in
            header.member("alg", key.algorithm.rawValue)
            header.member("kid", key.keyID)
            header.member("typ", type)
        }
    }

    /// Verifies type, key and signature, in this order, and then decodes the claims.
    ///
    /// The caller must check times and audience, because they need a clock and a policy.
    public static func verify<Claims: Decodable>(
        _ token: String, as claims: Claims.Type, type: String, keys: some VerificationKeySet
    ) throws(JWSError) -> Claims {
        try verify(token, type: type, keys: keys).claims(as: claims)
    }

    /// The same for claims that need no decoder.
    public static func verify<Claims: Decodable & JSONObjectReadable>(
        _ token: String, as claims: Claims.Type, type: String, keys: some VerificationKeySet
    ) throws(JWSError) -> Claims {
        let payload = try verify(token, type: type, keys: keys).payload
        do {
            return try TokenJSON.read(claims, from: payload)
        } catch {
            throw .invalidClaims
        }
    }

    private static func verify(
        _ token: String, type: String, keys: some VerificationKeySet
    ) throws(JWSError) -> VerifiedToken {
        let jws = try CompactJWS(parsing: token)
        guard jws.header.typ?.lowercased() == type else { throw .wrongType }
        guard let keyID = jws.header.kid, let key = keys.key(id: keyID) else { throw .unknownKey }
        return try VerifiedToken(jws, key: key)
    }

    /// The claims of an unverified token. A client reads its own access token this way.
    public static func unverifiedClaims<Claims: Decodable>(of token: String, as claims: Claims.Type) throws -> Claims {
        do {
            return try TokenJSON.decode(claims, from: unverifiedPayload(of: token))
        } catch is DecodingError {
            throw JWSError.invalidClaims
        }
    }

    /// The claims of an unverified token, read without a decoder, for tokens that are read with every request.
    public static func unverifiedClaims(of token: String) throws -> [String: JSONValue] {
        do {
            return try TokenJSON.decode([String: JSONValue].self, from: unverifiedPayload(of: token))
        } catch is DecodingError {
            throw JWSError.invalidClaims
        }
    }

    private static func unverifiedPayload(of token: String) throws(JWSError) -> Data {
        guard let payload = CompactParts.payload(of: token) else { throw .malformed }
        return payload
    }
}

/// The `typ` values that distinguish the types of tokens (RFC 8725 §3.11).
public enum TokenType {
    /// Access tokens (RFC 9068 §2.1).
    public static let accessToken = "at+jwt"
    /// DPoP proofs (RFC 9449 §4.2).
    public static let dpopProof = "dpop+jwt"
    /// Challenge tokens: the result of a login method, exchanged for a session.
    public static let challenge = "challenge+jwt"
    /// Tokens that begin the registration of a passkey, or a login with one.
    public static let passkey = "passkey+jwt"
}

/// The time of an access token's issue.
public enum IssueTime {
    /// Seconds by which `iat` and `nbf` lie before the issue. Common libraries have no leeway: they reject a token whose `iat` or
    /// `nbf` is in the future by their own clock.
    public static let backdating: Int64 = 30
}
