import HTTPTypes
import Hummingbird
import SessionDomain
import SessionHTTP

/// A cookie of the console (RFC 6265bis).
///
/// The prefix `__Host-` binds it to its host and to TLS. Under http, which only this machine may use, browsers do not store
/// such a cookie, so there it has no prefix.
struct ConsoleCookie: Sendable {
    enum Purpose: String, Sendable {
        /// The session of an operator. It ends when the browser is closed.
        case session = "prelude_console"
        /// A browser in which an operator has signed in before. It stays after the sign-out, and proves no sign-in.
        case device = "prelude_console_device"

        /// Seconds for which a browser keeps the cookie. `nil`: until it is closed.
        fileprivate var lifetime: Int? { self == .device ? KnownDevice.longestLifetime : nil }
    }

    let purpose: Purpose
    let isSecure: Bool

    /// Finds the cookie of a request. One without the prefix counts under a loopback host only.
    static func find(_ purpose: Purpose, in headers: HTTPFields, host: String) -> (
        value: String, cookie: ConsoleCookie
    )? {
        let secure = ConsoleCookie(purpose: purpose, isSecure: true)
        if let value = headers.cookie(secure.name) { return (value, secure) }
        let plain = ConsoleCookie(purpose: purpose, isSecure: false)
        guard FormOrigin.isLoopback(host), let value = headers.cookie(plain.name) else { return nil }
        return (value, plain)
    }

    /// The header that stores the cookie.
    func header(_ value: String) -> String {
        "\(name)=\(value)\(attributes)" + (purpose.lifetime.map { "; Max-Age=\($0)" } ?? "")
    }

    /// The header that deletes the cookie.
    var deletion: String { "\(name)=\(attributes); Max-Age=0" }

    private var name: String { (isSecure ? "__Host-" : "") + purpose.rawValue }

    private var attributes: String { "; Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "") }
}
