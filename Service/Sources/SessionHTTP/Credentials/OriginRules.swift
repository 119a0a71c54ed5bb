import HTTPTypes
import SessionDomain

/// Decides which requests of browsers are accepted.
///
/// A browser adds the user's cookies to requests of any site, so only pages of listed origins may call.
struct OriginRules {
    /// The app's own origins and those that its operator allows, such as `https://app.example.com`.
    let allowed: [String]

    init(allowed: [String]) { self.allowed = allowed }

    init(app: AppRuntime) {
        self.init(allowed: app.settings.allowedOrigins + app.origins.origins(of: app.settings))
    }

    /// Checks the request of a browser.
    ///
    /// - Parameters:
    ///   - origin: The value of `Origin`. Browsers omit it in GET and HEAD requests to the same origin.
    ///   - site: The value of `Sec-Fetch-Site`. It decides if there is no `Origin`.
    /// - Throws: `Refusal.forbidden`.
    func check(method: HTTPRequest.Method, origin: String?, site: String?) throws(Refusal) {
        if let origin {
            guard allowed.contains(origin) else {
                throw .forbidden("Origin is not one of the app's allowed origins")
            }
        } else {
            guard method == .get || method == .head || site == "same-origin" || site == "none" else {
                throw .forbidden("a request of another site must have an Origin header")
            }
        }
    }
}
