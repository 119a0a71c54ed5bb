internal import SessionDomain

/// A mail server and the account that this service uses on it.
struct SMTPServer: Sendable, Hashable {
    let host: String
    let port: Int
    let tls: RouteSettings.TLSMode
    /// `nil`: PLAIN or LOGIN, as the server offers.
    let authentication: RouteSettings.Authentication?
    /// `nil`: no authentication.
    let username: String?

    /// The port of submission is 587, that of submission over TLS is 465 (RFC 8314 §3.3).
    init?(_ settings: RouteSettings) {
        guard let host = settings.host else { return nil }
        self.host = host.lowercased()
        tls = settings.tls ?? (settings.port == 465 ? .implicit : .startTLS)
        port = settings.port ?? (tls == .implicit ? 465 : 587)
        authentication = settings.authentication
        username = settings.username
    }

    /// `host:port`, for people.
    var place: String { "\(host):\(port)" }

    /// Whether the host is an IPv6 address. The colon is in no name.
    var isIPv6: Bool { host.contains(":") }

    /// Without a path, libcurl greets with the name of this machine.
    var url: String {
        "\(tls == .implicit ? "smtps" : "smtp")://\(isIPv6 ? "[\(host)]" : host):\(port)"
    }

    /// What must not be shown of a login: the secret, and the responses of PLAIN (RFC 4616 §2) and XOAUTH2, in which servers
    /// get it and which some repeat. LOGIN sends the secret alone.
    func credentials(with secret: String) -> [String] {
        guard let username, !secret.isEmpty else { return [secret] }
        return [secret, "\0\(username)\0\(secret)", "user=\(username)\u{1}auth=Bearer \(secret)\u{1}\u{1}"]
    }

    /// The mechanisms that libcurl may use. It knows others, which servers offer and operators do not expect.
    var loginOptions: String {
        switch authentication {
        case .plain: "AUTH=PLAIN"
        case .login: "AUTH=LOGIN"
        case .xoauth2: "AUTH=XOAUTH2"
        case nil: "AUTH=PLAIN;AUTH=LOGIN"
        }
    }

    /// The mechanisms that are acceptable, as EHLO names them.
    var mechanisms: [String] {
        guard let authentication else { return ["PLAIN", "LOGIN"] }
        return [authentication.rawValue.uppercased()]
    }
}
