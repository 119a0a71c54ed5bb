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
        let parts = authorization.split(separator: " ", maxSplits: 1)
        let name = parts.first?.lowercased()
        guard parts.count == 2, name == "bearer" || name == "dpop" else {
            throw VerificationError(.missingCredentials)
        }
        scheme = name == "dpop" ? .dpop : .bearer
        token = String(parts[1].drop { $0 == " " })
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
