internal import HTTPTypes

/// The token of a request, and the scheme that it came with (RFC 9110 §11.4).
struct Credentials {
    let scheme: AuthenticationSchemes.Scheme
    let token: String

    init(_ request: HTTPRequest) throws(VerificationError) {
        let values = request.headerFields[values: .authorization]
        guard let value = values.first else { throw VerificationError(.missingCredentials) }
        guard values.count == 1 else { throw VerificationError(.severalCredentials) }
        try self.init(authorization: value)
    }

    /// - Parameter authorization: The whole value of `Authorization`.
    init(authorization: String) throws(VerificationError) {
        let parts = authorization.split(separator: " ", maxSplits: 1)
        let name = parts.first?.lowercased()
        guard parts.count == 2, name == "bearer" || name == "dpop" else {
            throw VerificationError(.missingCredentials)
        }
        scheme = name == "dpop" ? .dpop : .bearer
        token = parts[1].trimmingPrefix { $0 == " " }.description
    }
}
