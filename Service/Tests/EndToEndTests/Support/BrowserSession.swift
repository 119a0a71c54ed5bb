import HTTPTypes
import PreludeSession
import PreludeSessionTesting
import Testing

/// A browser that signed in with a code and has no key. It holds a refresh cookie and an access token.
struct BrowserSession {
    static let origin = "https://app.example.com"

    let world: ServiceWorld
    /// `name=value` of the refresh cookie.
    var cookie: String
    var accessToken: String

    init(in world: ServiceWorld, email: String = "web@example.com") async throws {
        let started = try await world.call(
            "/v1/session/otp", json: #"{"identifier":{"type":"email_address","value":"\#(email)"}}"#,
            headers: ["origin": Self.origin])
        let verification = try Self.cookie("verification-login_", in: started.head)
        let checked = try await world.call(
            "/v1/session/otp/check", json: #"{"code":"\#(try world.code(for: email))"}"#,
            headers: ["origin": Self.origin, "cookie": verification])
        let finalized = try await world.call(
            "/v1/session/login/finalize",
            json: #"{"challenge_token":"\#(try #require(checked.body["challenge_token"]?.stringValue))"}"#,
            headers: ["origin": Self.origin])
        self.world = world
        cookie = try Self.cookie("refresh_", in: finalized.head)
        accessToken = try #require(finalized.body["access_token"]?.stringValue)
    }

    /// `name=value` of the first cookie whose name starts with a prefix.
    static func cookie(_ prefix: String, in head: HTTPResponse) throws -> String {
        let cookies = head.headerFields[values: HTTPField.Name.setCookie]
        return String(try #require(cookies.first { $0.hasPrefix(prefix) }).prefix { $0 != ";" })
    }

    /// Sends a request as a page of the app.
    func call(
        _ path: String, json: String, bearer: Bool = false, withCookie: Bool = true
    ) async throws -> ServiceAnswer {
        var headers = ["origin": Self.origin]
        if bearer { headers["authorization"] = "Bearer " + accessToken }
        if withCookie { headers["cookie"] = cookie }
        return try await world.call("/v1/session" + path, json: json, headers: headers)
    }
}
