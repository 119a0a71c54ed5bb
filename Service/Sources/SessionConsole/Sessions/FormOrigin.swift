import SessionDomain
import SessionTokens

/// Decides whether a form was sent by a page of the console, and how its browser reached the service.
struct FormOrigin: Equatable {
    /// Whether the browser uses https. Otherwise it uses http on the same machine.
    let isSecure: Bool

    /// - Parameters:
    ///   - origin: The value of `Origin`, which browsers send with every form.
    ///   - site: The value of `Sec-Fetch-Site`. Older browsers do not send it.
    ///   - host: The host that the browser asked for.
    /// - Throws: `Refusal.forbidden`.
    init(origin: String?, site: String?, host: String) throws(Refusal) {
        guard let origin, site == nil || site == "same-origin" else { throw Self.otherSite }
        if let own = TargetURI("https://" + host)?.origin, own == origin {
            isSecure = true
        } else if let own = TargetURI("http://" + host)?.origin, own == origin {
            guard Self.isLoopback(host) else {
                throw .forbidden("the console needs https, except under localhost; set a certificate, or use a tunnel")
            }
            isSecure = false
        } else {
            throw Self.otherSite
        }
    }

    /// Whether a host is a loopback address or `localhost`.
    static func isLoopback(_ host: String) -> Bool {
        TargetURI("http://" + host).map { IPNetwork.isLoopback(host: $0.host) } ?? false
    }

    private static let otherSite = Refusal.forbidden("the form was not sent by a page of this console")
}
