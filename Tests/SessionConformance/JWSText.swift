internal import Crypto
public import Foundation
internal import SessionTokens

/// The decoded parts of a compact JWS (RFC 7515 §7.1), for tests that change them. Nothing is checked.
public struct JWSText {
    public var header: Data
    public var payload: Data
    public var signature: Data

    public init(_ text: String) throws {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Base64URL.decode($0) ?? Data() }
        guard parts.count == 3 else { throw JWSError.malformed }
        (header, payload, signature) = (parts[0], parts[1], parts[2])
    }

    public var compact: String { Self.input(header: header, payload: payload) + "." + Base64URL.encode(signature) }

    public static func input(header: Data, payload: Data) -> String {
        Base64URL.encode(header) + "." + Base64URL.encode(payload)
    }

    /// Changes parts of a signed token without a new signature.
    public static func changing(_ text: String, _ change: (inout JWSText) throws -> Void) throws -> String {
        var jws = try JWSText(text)
        try change(&jws)
        return jws.compact
    }

    /// Replaces the signature by a MAC with a secret.
    public static func authenticated(_ text: String, secret: Data) throws -> String {
        try changing(text) { jws in
            let input = Data(Self.input(header: jws.header, payload: jws.payload).utf8)
            jws.signature = Data(HMAC<SHA256>.authenticationCode(for: input, using: SymmetricKey(data: secret)))
        }
    }

    /// Sets an unused trailing bit of the last character. Lenient decoders ignore it (RFC 4648 §3.5).
    public static func withStrayBits(_ text: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        guard let last = text.last, let index = alphabet.firstIndex(of: last) else { return text }
        return text.dropLast() + String(alphabet[index + 1])
    }

    /// Replaces a text by another one.
    public static func replacing(_ old: String, by new: String, in data: Data) -> Data {
        Data(String(decoding: data, as: UTF8.self).replacingOccurrences(of: old, with: new).utf8)
    }
}
