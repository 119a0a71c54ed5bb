/// Cookie names of the protocol; each belongs to one app.
package enum CookieName {
    package static func refresh(appID: String) -> String { "refresh_\(appID)" }
    package static func verification(appID: String) -> String { "verification-login_\(appID)" }
    package static func device(appID: String) -> String { "did_\(appID)" }

    /// Binds a cookie to its host and to TLS (RFC 6265bis §4.1.3.2); plain http on loopback goes without.
    package static let hostPrefix = "__Host-"
}
