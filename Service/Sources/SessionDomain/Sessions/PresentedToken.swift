/// An access token as a request presents it.
package struct PresentedToken: Sendable, Equatable {
    /// How the token is presented (RFC 6750 §2.1, RFC 9449 §7.1). The raw value is the scheme in lower case.
    package enum Scheme: String, Sendable {
        case bearer
        case dpop
    }

    package let scheme: Scheme
    package let token: String

    package init(scheme: Scheme, token: String) {
        self.scheme = scheme
        self.token = token
    }
}
