public import Foundation

/// A parsed JWS in compact serialization (RFC 7515 §7.1). Verification and use read the same parsed bytes.
public struct CompactJWS: Sendable {
    public let header: Header
    /// `alg` of the header; `.edDSA` for both names of Ed25519.
    public let algorithm: SignatureAlgorithm
    public let payload: Data
    public let signingInput: Data
    public let signature: Data

    /// The protected header (RFC 7515 §4.1). URLs of keys (`jku`, `x5u`) are not read, so a token cannot start a request.
    public struct Header: JSONObjectReadable, Sendable {
        public let alg: String
        public let typ: String?
        public let kid: String?
        /// The unchecked key of a DPoP proof. It is ignored in all other tokens.
        public let jwk: JSONObject?
        /// Whether `crit` is present. No critical extension is supported.
        public let isCritical: Bool

        public init(_ object: JSONObject) throws {
            alg = try object.string("alg")
            typ = try object.stringIfPresent("typ")
            kid = try object.stringIfPresent("kid")
            jwk = try object.objectIfPresent("jwk")
            isCritical = object.contains("crit")
        }
    }

    public init(parsing text: String) throws(JWSError) {
        let parts = try CompactParts(text)
        do {
            header = try TokenJSON.read(Header.self, from: parts.header)
        } catch {
            throw .malformed
        }
        guard !header.isCritical else { throw .criticalExtension }
        guard let algorithm = SignatureAlgorithm(rawValue: header.alg) else { throw .unsupportedAlgorithm }
        self.algorithm = algorithm.spelledClassically
        payload = parts.payload
        signature = parts.signature
        signingInput = parts.signingInput
    }

    /// Verifies the signature.
    ///
    /// - Throws: `.unsupportedAlgorithm` if the key is for another algorithm than the header names, `.invalidSignature`.
    public func verify(with key: some VerificationKey) throws(JWSError) {
        // The key decides the algorithm. The header must match it (RFC 8725 §3.1).
        guard key.algorithm.spelledClassically == algorithm else { throw .unsupportedAlgorithm }
        guard key.isValidSignature(signature, for: signingInput) else { throw .invalidSignature }
    }
}

/// The three decoded parts of a compact JWS (RFC 7515 §7.1). Header and signature are not checked.
public struct CompactParts: Sendable {
    /// The protected header as unparsed JSON. Empty if it is not decoded.
    public let header: Data
    public let payload: Data
    public let signature: Data
    public let signingInput: Data

    /// The maximum length of a token in bytes. All headers of a request together are limited to 16 KiB.
    public static let maximumLength = 8192

    /// - Parameter decodingHeader: `false` for a header that the caller knows.
    public init(_ text: String, decodingHeader: Bool = true) throws(JWSError) {
        var text = text
        let parts: CompactParts? = text.withUTF8 { bytes in
            guard bytes.count <= Self.maximumLength, let dots = Self.dots(in: bytes),
                let header = Base64URL.decode(
                    buffer: UnsafeBufferPointer(rebasing: bytes[..<(decodingHeader ? dots.first : 0)])),
                let payload = Base64URL.decode(
                    buffer: UnsafeBufferPointer(rebasing: bytes[(dots.first + 1)..<dots.second])),
                let signature = Base64URL.decode(buffer: UnsafeBufferPointer(rebasing: bytes[(dots.second + 1)...]))
            else { return nil }
            return CompactParts(
                header: header, payload: payload, signature: signature,
                signingInput: Data(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<dots.second])))
        }
        guard let parts else { throw .malformed }
        self = parts
    }

    private init(header: Data, payload: Data, signature: Data, signingInput: Data) {
        self.header = header
        self.payload = payload
        self.signature = signature
        self.signingInput = signingInput
    }

    /// The payload alone. `nil`: the text is not three parts, or the payload is not base64url.
    static func payload(of text: String) -> Data? {
        var text = text
        return text.withUTF8 { bytes in
            guard let dots = dots(in: bytes) else { return nil }
            return Base64URL.decode(buffer: UnsafeBufferPointer(rebasing: bytes[(dots.first + 1)..<dots.second]))
        }
    }

    /// Where the two dots are. `nil`: there are fewer or more.
    private static func dots(in bytes: UnsafeBufferPointer<UInt8>) -> (first: Int, second: Int)? {
        guard let first = dot(in: bytes, from: 0), let second = dot(in: bytes, from: first + 1),
            dot(in: bytes, from: second + 1) == nil
        else { return nil }
        return (first, second)
    }

    /// The first dot at or behind a position. The C library compares many bytes at once.
    private static func dot(in bytes: UnsafeBufferPointer<UInt8>, from position: Int) -> Int? {
        guard let start = bytes.baseAddress, position < bytes.count,
            let found = memchr(start + position, CInt(UInt8(ascii: ".")), bytes.count - position)
        else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(start)
    }
}

/// A compact JWS with a verified signature. All initializers verify it.
///
/// The caller must check times, audience and `typ`.
public struct VerifiedToken: Sendable {
    public let keyID: String
    /// The `typ` of the signed header.
    public let type: String?
    public let payload: Data

    /// Verifies the signature.
    ///
    /// - Parameters:
    ///   - jws: The parsed token.
    ///   - key: The key with the token's `kid`.
    /// - Throws: `.malformed` if the token has no `kid`, `.unsupportedAlgorithm`, `.invalidSignature`.
    public init(_ jws: CompactJWS, key: some VerificationKey) throws(JWSError) {
        guard let keyID = jws.header.kid else { throw .malformed }
        try jws.verify(with: key)
        self.keyID = keyID
        type = jws.header.typ
        payload = jws.payload
    }

    /// Verifies the signature of a token that begins with a known header.
    ///
    /// - Throws: `.malformed` if it does not begin with it or is no compact JWS, `.invalidSignature`.
    public init(_ text: String, known: KnownTokenHeader) throws(JWSError) {
        guard known.begins(text) else { throw .malformed }
        let parts = try CompactParts(text, decodingHeader: false)
        guard known.key.isValidSignature(parts.signature, for: parts.signingInput) else { throw .invalidSignature }
        keyID = known.keyID
        type = known.type
        payload = parts.payload
    }

    /// The header of this token, to be known from now on. `nil` if it is too long.
    ///
    /// - Parameters:
    ///   - text: The token.
    ///   - key: The key that verified it.
    public func knownHeader(of text: String, key: any VerificationKey) -> KnownTokenHeader? {
        EncodedHeader.text(of: text).map { KnownTokenHeader(encoded: $0, keyID: keyID, type: type, key: key) }
    }

    /// Decodes the claims strictly.
    public func claims<Claims: Decodable>(as type: Claims.Type) throws(JWSError) -> Claims {
        do {
            return try TokenJSON.decode(type, from: payload)
        } catch {
            throw .invalidClaims
        }
    }
}

/// The header of a token whose signature was valid, as it was sent, with its content and the key that verified it.
///
/// All tokens that a service signs with one key have the same header. A verifier that knows it reads no JSON for it.
public struct KnownTokenHeader: Sendable {
    /// The header in base64url.
    public let encoded: String
    public let keyID: String
    let type: String?
    public let key: any VerificationKey

    /// Whether a token begins with exactly this header.
    public func begins(_ token: String) -> Bool { EncodedHeader.begins(token, with: encoded) }
}

/// The protected header of a compact JWS as it was sent, in base64url (RFC 7515 §7.1).
///
/// The tokens of one key and the proofs of one device repeat their header. Equal texts have equal content, so a reader that
/// knows a text need not read it again.
public enum EncodedHeader {
    /// The most bytes of a header that is worth to be kept. That of a proof with a P-256 key has about 230.
    public static let maximumLength = 512

    /// The header of a token. `nil` without a dot, and for a header that is not worth to be kept.
    public static func text(of token: String) -> String? {
        var token = token
        let length: Int? = token.withUTF8 { bytes in
            guard let start = bytes.baseAddress,
                let dot = memchr(start, CInt(UInt8(ascii: ".")), min(bytes.count, maximumLength + 1))
            else { return nil }
            return UnsafeRawPointer(dot) - UnsafeRawPointer(start)
        }
        return length.flatMap { String(token.utf8.prefix($0)) }
    }

    /// Whether a token begins with exactly this header.
    static func begins(_ token: String, with header: String) -> Bool {
        var (token, header) = (token, header)
        return token.withUTF8 { token in
            header.withUTF8 { header in
                guard token.count > header.count, token[header.count] == UInt8(ascii: "."),
                    let first = token.baseAddress, let second = header.baseAddress
                else { return false }
                return memcmp(first, second, header.count) == 0
            }
        }
    }
}

/// Why a compact JWS is rejected.
public enum JWSError: Error, Equatable {
    /// The text does not have three canonical base64url parts with a JSON header (RFC 7515 §7.1).
    case malformed
    /// `alg` is `none`, a MAC or another unsupported algorithm (RFC 8725 §3.1).
    case unsupportedAlgorithm
    /// The header has `crit`. No critical extension is supported (RFC 7515 §4.1.11).
    case criticalExtension
    /// `typ` is not the expected type (RFC 8725 §3.11).
    case wrongType
    /// The key set has no key with this `kid`.
    case unknownKey
    /// The key does not verify the signature.
    case invalidSignature
    /// The payload does not have the expected claims.
    case invalidClaims
}
