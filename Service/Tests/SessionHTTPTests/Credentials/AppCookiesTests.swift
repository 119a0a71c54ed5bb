import HTTPTypes
import Hummingbird
import NIOCore
import SessionDomain
import Testing

@testable import SessionHTTP

@Suite("Cookies of an app")
struct AppCookiesTests {
    private static let secure = "https://session.test"
    private static let loopback = "http://localhost:8080"

    private func cookies(_ publicURL: String, isCrossSite: Bool = false, domains: [String] = []) throws -> AppCookies {
        let settings = try TestApp.settings { app in
            app.allowedOrigins = isCrossSite ? ["https://app.example"] : []
            app.domains = domains
        }
        return AppCookies(settings: settings, origins: try PublicOrigins(publicURL: publicURL))
    }

    private func request(_ cookies: String...) -> Request {
        Request(
            head: HTTPRequest(
                method: .post, scheme: nil, authority: nil, path: "/",
                headerFields: .of(cookies.map { ("cookie", $0) })), body: RequestBody(buffer: ByteBuffer()))
    }

    private func written(_ set: (inout Response) -> Void) -> [String] {
        var response = Response(status: .ok)
        set(&response)
        return response.headers[values: .setCookie]
    }

    @Test("A cookie over https has the prefix __Host- and the attributes that it requires (RFC 6265bis §4.1.3.2)")
    func secureCookie() throws {
        let cookies = try cookies(Self.secure)
        #expect(
            written { cookies.setRefreshToken("a.b", seconds: 60, on: &$0) } == [
                "__Host-refresh_testapp=a.b; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure"
            ])
    }

    @Test("A cookie over plain http has no prefix and is not Secure")
    func loopbackCookie() throws {
        let cookies = try cookies(Self.loopback)
        #expect(
            written { cookies.setRefreshToken("a.b", seconds: 60, on: &$0) } == [
                "refresh_testapp=a.b; Path=/; Max-Age=60; HttpOnly; SameSite=Lax"
            ])
    }

    @Test("Cookies are sent across sites if other origins may call, but only over https")
    func crossSite() throws {
        let secure = try cookies(Self.secure, isCrossSite: true)
        #expect(written { secure.setRefreshToken("a", seconds: 1, on: &$0) }[0].contains("; SameSite=None; Secure"))
        let loopback = try cookies(Self.loopback, isCrossSite: true)
        #expect(written { loopback.setRefreshToken("a", seconds: 1, on: &$0) }[0].hasSuffix("; SameSite=Lax"))
    }

    @Test("An app with a domain of its own has secure cookies, even if the service's origin is http")
    func customDomain() throws {
        let cookies = try cookies(Self.loopback, domains: ["login.customer.example"])
        #expect(written { cookies.setDeviceID("d", on: &$0) }[0].hasPrefix("__Host-did_testapp=d; "))
    }

    @Test("Each kind of cookie has a name of its own with the app's id")
    func names() throws {
        let cookies = try cookies(Self.secure)
        let all = written { response in
            cookies.setRefreshToken("r", seconds: 1, on: &response)
            cookies.setVerificationToken("v", seconds: 2, on: &response)
            cookies.setDeviceID("d", on: &response)
        }
        #expect(
            all.map { String($0.prefix { $0 != ";" }) } == [
                "__Host-refresh_testapp=r", "__Host-verification-login_testapp=v", "__Host-did_testapp=d",
            ])
        #expect(all[2].contains("; Max-Age=31536000;"))
    }

    @Test("A cleared cookie is empty and expires at once")
    func cleared() throws {
        let cookies = try cookies(Self.secure)
        #expect(
            written { cookies.clearRefreshToken(on: &$0) } == [
                "__Host-refresh_testapp=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure"
            ])
    }

    @Test("A lifetime is never negative")
    func expired() throws {
        let cookies = try cookies(Self.secure)
        #expect(written { cookies.setRefreshToken("a", seconds: -5, on: &$0) }[0].contains("; Max-Age=0;"))
    }

    @Test("An https app does not read cookies without the prefix, which other hosts can set")
    func prefixIsRequired() throws {
        let cookies = try cookies(Self.secure)
        #expect(cookies.refreshToken(in: request("refresh_testapp=forged")) == nil)
        #expect(cookies.refreshToken(in: request("refresh_testapp=forged; __Host-refresh_testapp=a")) == "a")
    }

    @Test("Each kind of cookie is read by its own name")
    func read() throws {
        let cookies = try cookies(Self.secure)
        let all = request(
            "__Host-refresh_testapp=r; __Host-verification-login_testapp=v; __Host-did_testapp=d")
        #expect(cookies.refreshToken(in: all) == "r")
        #expect(cookies.verificationToken(in: all) == "v")
        #expect(cookies.deviceID(in: all) == "d")
        #expect(cookies.refreshToken(in: request("__Host-refresh_otherapp=r")) == nil)
    }
}
