import Foundation
import SessionTokens
import Testing

/// Tokens whose header a verifier has read before.
@Suite("Token: a header that is already known")
struct KnownTokenHeaderTests {
    private static let key = SigningKey.generate(.edDSA)

    private func token(_ claims: [String: JSONValue] = ["sub": "usr_1"], key: SigningKey = Self.key) throws -> String {
        try JWT.sign(claims, type: TokenType.accessToken, key: key)
    }

    private func known() throws -> KnownTokenHeader {
        let token = try token()
        let verified = try VerifiedToken(CompactJWS(parsing: token), key: Self.key.publicJWK)
        return try #require(verified.knownHeader(of: token, key: Self.key.publicJWK))
    }

    @Test("The next token of the key has the same kid, type and claims as without a known header")
    func next() throws {
        let next = try token(["sub": "usr_2"])
        #expect(try known().begins(next))
        let (token, read) = (
            try VerifiedToken(next, known: known()),
            try VerifiedToken(CompactJWS(parsing: next), key: Self.key.publicJWK)
        )
        #expect(token.keyID == read.keyID && token.type == read.type && token.payload == read.payload)
        #expect(token.keyID == Self.key.keyID && token.type == "at+jwt")
    }

    @Test("A signature by another key, or of other claims, is invalid")
    func signature() throws {
        let parts = try token().split(separator: ".")
        let other = try token(["sub": "usr_2"]).split(separator: ".")
        let foreign = try SigningKey.generate(.edDSA).signature(for: Data("\(parts[0]).\(parts[1])".utf8))
        for text in ["\(parts[0]).\(other[1]).\(parts[2])", "\(parts[0]).\(parts[1]).\(Base64URL.encode(foreign))"] {
            #expect(throws: JWSError.invalidSignature) { try VerifiedToken(text, known: known()) }
        }
    }

    @Test("A token with another header does not begin with the known one, and is not verified with it")
    func otherHeader() throws {
        let token = try token(key: .generate(.edDSA))
        #expect(try !known().begins(token))
        #expect(throws: JWSError.malformed) { try VerifiedToken(token, known: known()) }
    }

    @Test("A text that only begins with the header is malformed")
    func otherTexts() throws {
        let (header, token) = (try known().encoded, try token())
        for text in [
            header, header + ".", header + ".e30", header + "A" + token.dropFirst(header.count), token + ".",
            token + "=", header + "." + String(repeating: "A", count: CompactParts.maximumLength),
        ] {
            #expect(throws: JWSError.malformed, "\(text.prefix(80))") { try VerifiedToken(text, known: known()) }
        }
    }
}
