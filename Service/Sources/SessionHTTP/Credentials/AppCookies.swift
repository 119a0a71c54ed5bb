import HTTPTypes
import Hummingbird
import SessionDomain
import SessionTokens
import SessionWire

/// The cookies of one app (RFC 6265bis).
///
/// The prefix `__Host-` binds a cookie to its host and to TLS. It is left out if the app's first origin has the scheme
/// `http`, which only development allows.
struct AppCookies: Sendable {
    private let appID: String
    private let isSecure: Bool
    /// Whether pages of other sites may call, so that browsers must send the cookies across sites.
    private let isCrossSite: Bool
    /// Seconds.
    private let deviceLifetime: Int

    init(app: AppRuntime) { self.init(settings: app.settings, origins: app.origins) }

    init(settings: App, origins: PublicOrigins) {
        appID = settings.id.rawValue
        deviceLifetime = settings.sessions.knownDeviceLifetime
        isSecure = origins.origins(of: settings).first?.hasPrefix("https://") ?? true
        isCrossSite = !settings.allowedOrigins.isEmpty
    }

    func refreshToken(in request: Request) -> String? { value(CookieName.refresh(appID: appID), in: request) }
    func verificationToken(in request: Request) -> String? {
        value(CookieName.verification(appID: appID), in: request)
    }
    func deviceID(in request: Request) -> String? { value(CookieName.device(appID: appID), in: request) }

    func trustedDevice(in request: Request) -> String? { value(CookieName.trustedDevice(appID: appID), in: request) }

    func setTrustedDevice(_ token: String, on response: inout Response) {
        set(CookieName.trustedDevice(appID: appID), to: token, seconds: deviceLifetime, on: &response)
    }

    func setRefreshToken(_ token: String, seconds: Int, on response: inout Response) {
        set(CookieName.refresh(appID: appID), to: token, seconds: seconds, on: &response)
    }

    func clearRefreshToken(on response: inout Response) {
        set(CookieName.refresh(appID: appID), to: "", seconds: 0, on: &response)
    }

    func setVerificationToken(_ token: String, seconds: Int, on response: inout Response) {
        set(CookieName.verification(appID: appID), to: token, seconds: seconds, on: &response)
    }

    func setDeviceID(_ id: String, on response: inout Response) {
        set(CookieName.device(appID: appID), to: id, seconds: 365 * 86_400, on: &response)
    }

    private func value(_ name: String, in request: Request) -> String? { request.headers.cookie(fullName(name)) }

    private func set(_ name: String, to value: String, seconds: Int, on response: inout Response) {
        let sameSite = isSecure && isCrossSite ? "None" : "Lax"
        let attributes = "Path=/; Max-Age=\(max(0, seconds)); HttpOnly; SameSite=\(sameSite)"
        response.headers.add(
            .setCookie, "\(fullName(name))=\(value); \(attributes)\(isSecure ? "; Secure" : "")")
    }

    private func fullName(_ name: String) -> String { (isSecure ? CookieName.hostPrefix : "") + name }
}

extension AppRuntime {
    /// The token of a known device: of the header, otherwise of the cookie.
    func deviceToken(in request: Request) -> String? {
        request.headers.first(.trustedDevice) ?? AppCookies(app: self).trustedDevice(in: request)
    }
}
