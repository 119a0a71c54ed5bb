internal import Crypto
package import Foundation
internal import SessionTokens

/// The text of a compact JWS (RFC 7515 §7.1), taken apart and put together without a judgement.
package struct JWSText {
    package var header: Data
    package var payload: Data
    package var signature: Data

    package init(_ text: String) throws {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Base64URL.decode($0) ?? Data() }
        guard parts.count == 3 else { throw JWSError.malformed }
        (header, payload, signature) = (parts[0], parts[1], parts[2])
    }

    package var compact: String { Self.input(header: header, payload: payload) + "." + Base64URL.encode(signature) }

    package static func input(header: Data, payload: Data) -> String {
        Base64URL.encode(header) + "." + Base64URL.encode(payload)
    }

    /// The text after a change under its signature.
    package static func changing(_ text: String, _ change: (inout JWSText) throws -> Void) throws -> String {
        var jws = try JWSText(text)
        try change(&jws)
        return jws.compact
    }

    /// The text with a MAC for its signature, under what its sender takes for the secret.
    package static func authenticated(_ text: String, secret: Data) throws -> String {
        try changing(text) { jws in
            let input = Data(Self.input(header: jws.header, payload: jws.payload).utf8)
            jws.signature = Data(HMAC<SHA256>.authenticationCode(for: input, using: SymmetricKey(data: secret)))
        }
    }

    /// The same bytes in base64url, with bits after them that a lenient reader drops (RFC 4648 §3.5).
    package static func withStrayBits(_ text: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        guard let last = text.last, let index = alphabet.firstIndex(of: last) else { return text }
        return text.dropLast() + String(alphabet[index + 1])
    }

    /// Writes one text over another, as long.
    package static func replacing(_ old: String, by new: String, in data: Data) -> Data {
        Data(String(decoding: data, as: UTF8.self).replacingOccurrences(of: old, with: new).utf8)
    }
}
