import HTTPTypes
import PreludeSession
import PreludeSessionTesting
import SessionDomain
import SessionWire
import Testing

extension ServiceWorld {
    /// Sends a request without the SDK.
    ///
    /// - Parameters:
    ///   - json: The body. A request with a body is a POST unless `method` is set.
    ///   - host: The `Host` header.
    func call(
        _ path: String, json: String? = nil, headers: [String: String] = [:], method: HTTPRequest.Method? = nil,
        host: String = "localhost:8080"
    ) async throws -> ServiceAnswer {
        var fields = HTTPFields()
        for (name, value) in headers { fields[try #require(HTTPField.Name(name))] = value }
        return try await router.send(
            method ?? (json == nil ? .get : .post), path, host: host, fields: fields, json: json)
    }

    /// Calls the management API of the app with a new management key.
    @discardableResult
    func manage(
        _ path: String, json: String? = nil, method: HTTPRequest.Method? = nil
    ) async throws -> ServiceAnswer {
        let (_, secret) = try await service.managementKeys.create(name: "test", app: appID)
        return try await call(
            "/v2/session/apps/\(appID)" + path, json: json, headers: ["authorization": "Bearer \(secret)"],
            method: method)
    }

    /// The challenge token of a login whose code was correct and which is not finalized yet.
    func completedLogin(_ email: String) async throws -> String {
        let started = try await call(
            FrontendPath.otp.rawValue, json: #"{"identifier":{"type":"email_address","value":"\#(email)"}}"#)
        let name = try #require(HTTPField.Name(HeaderName.verificationToken))
        let checked = try await call(
            FrontendPath.otpCheck.rawValue, json: #"{"code":"\#(try code(for: email))"}"#,
            headers: [HeaderName.verificationToken: try #require(started.head.headerFields[name])])
        return try #require(checked.body["challenge_token"]?.stringValue)
    }

    /// The names of the app's events, oldest first.
    func eventNames() async throws -> [String] {
        try await service.store.events(app: appID, limit: 1000, offset: 0).reversed().map(\.name.rawValue)
    }
}
