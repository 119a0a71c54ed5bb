import Hummingbird
import SessionDomain

extension Request {
    /// The token of `Authorization: Bearer …`, or of `DPoP …` (RFC 6750 §2.1, RFC 9449 §7.1).
    ///
    /// `nil` for another scheme, and for more than one `Authorization` header.
    var presentedToken: PresentedToken? {
        let values = headers.all(.authorization)
        guard values.count == 1 else { return nil }
        let parts = values[0].split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let scheme = PresentedToken.Scheme(rawValue: parts[0].lowercased()) else { return nil }
        // One space or more (RFC 9110 §11.4).
        return PresentedToken(scheme: scheme, token: String(parts[1].drop { $0 == " " }))
    }

    /// The token of `Authorization: Bearer …` only.
    var bearerToken: String? { presentedToken.flatMap { $0.scheme == .bearer ? $0.token : nil } }
}
