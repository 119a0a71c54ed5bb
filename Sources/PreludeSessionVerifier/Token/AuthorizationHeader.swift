internal import HTTPTypes

/// The scheme and the token of an `Authorization` header (RFC 9110 §11.6.2).
struct AuthorizationHeader {
    let scheme: AuthenticationScheme
    let token: String

    init(_ request: HTTPRequest) throws(VerificationError) {
        let values = request.headerFields[values: .authorization]
        guard let value = values.first else { throw VerificationError(.missingCredentials) }
        guard values.count == 1 else { throw VerificationError(.severalCredentials) }
        try self.init(authorization: value)
    }

    /// - Parameter authorization: The complete value of the `Authorization` header.
    init(authorization: String) throws(VerificationError) {
        // It reads bytes, not characters: characters cost more for a long token.
        let space = UInt8(ascii: " ")
        let value = authorization.utf8.drop { $0 == space }
        guard let end = value.firstIndex(of: space), value.index(after: end) < value.endIndex,
            let scheme = Self.scheme(value[..<end])
        else { throw VerificationError(.missingCredentials) }
        self.scheme = scheme
        token = String(Substring(value[end...].drop { $0 == space }))
    }

    private static func scheme(_ name: Substring.UTF8View) -> AuthenticationScheme? {
        if matches(name, "dpop") { return .dpop }
        return matches(name, "bearer") ? .bearer : nil
    }

    /// Compares a text with a word in lower case. The case of ASCII letters does not count (RFC 9110 §11.1). An upper-case
    /// letter differs from its lower-case letter in the bit 0x20 only, so no other character is equal to a letter here.
    private static func matches(_ text: Substring.UTF8View, _ word: String) -> Bool {
        text.elementsEqual(word.utf8) { $0 | 0x20 == $1 }
    }
}

/// An authentication scheme of HTTP (RFC 9110 §11.1).
enum AuthenticationScheme: Equatable, Sendable {
    case bearer
    case dpop
}

/// The scheme that a request used and the schemes that this backend accepts. The response's challenges depend on both.
struct AuthenticationSchemes: Equatable, Sendable {
    /// The scheme of the request; `nil` without valid credentials.
    var used: AuthenticationScheme?
    /// Whether this backend accepts DPoP.
    var offersDPoP = false
}
