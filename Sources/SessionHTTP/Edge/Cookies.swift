import HTTPTypes
import Hummingbird
import SessionDomain
import SessionTokens
import SessionWire

/// The cookies of one app (RFC 6265bis).
///
/// `__Host-` ties them to the host and to TLS. Where the app is served over plain http, which only development allows,
/// they go without.
struct AppCookies: Sendable {
    private let appID: String
    private let isSecure: Bool
    private let isCrossSite: Bool

    init(app: AppRuntime) {
        appID = app.settings.id.rawValue
        isSecure = app.origins.origins(of: app.settings).first?.hasPrefix("https://") ?? true
        isCrossSite = !app.settings.allowedOrigins.isEmpty
    }

    func refreshToken(in request: Request) -> String? { value(CookieName.refresh(appID: appID), in: request) }
    func verificationToken(in request: Request) -> String? {
        value(CookieName.verification(appID: appID), in: request)
    }
    func deviceID(in request: Request) -> String? { value(CookieName.device(appID: appID), in: request) }

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
            "set-cookie", "\(fullName(name))=\(value); \(attributes)\(isSecure ? "; Secure" : "")")
    }

    private func fullName(_ name: String) -> String { (isSecure ? CookieName.hostPrefix : "") + name }
}

extension HTTPFields {
    /// What stands between the name of a cookie and the next semicolon, the first time (RFC 6265 §5.4).
    func cookie(_ name: String) -> String? {
        for header in all("cookie") {
            for pair in header.split(separator: ";") {
                let trimmed = pair.drop { $0 == " " }
                guard let equals = trimmed.firstIndex(of: "="), trimmed[..<equals] == name else { continue }
                return String(trimmed[trimmed.index(after: equals)...])
            }
        }
        return nil
    }
}
