/// How a caller authenticated, and how callers may (RFC 9110 §11.1).
struct AuthenticationSchemes: Equatable, Sendable {
    enum Scheme: Equatable, Sendable {
        case bearer
        case dpop
    }

    /// What the request used; `nil` when it brought nothing.
    var used: Scheme?
    /// Whether this backend takes DPoP at all.
    var offersDPoP = false
}
