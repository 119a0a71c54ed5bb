internal import Foundation
internal import HTTPTypes
internal import SessionTokens
internal import SessionWire

/// Sends calls to the service: adds proofs, learns nonces and the server's time, and throws error responses.
struct APIClient: Sendable {
    let origin: String
    let hostOverride: String?
    let transport: any PreludeSessionTransport
    /// Seconds that a call may take, including a repetition with a nonce.
    let timeout: TimeInterval
    let device: DeviceIdentity
    let environment: SDKEnvironment
    let log: SessionLog

    /// The largest response, in bytes.
    private static let maximumResponseBytes = 1 << 20

    /// Sends a call and returns the response with status 2xx.
    ///
    /// If the server asks for a nonce, the call is repeated once with it (RFC 9449 §8), except for a refresh.
    ///
    /// - Throws: `ErrorResponse` for any other status; `PreludeSessionError` without a response, `.timeout` after `timeout`
    ///   seconds.
    func send(_ request: APIRequest) async throws -> APIResponse {
        try await environment.withDeadline(after: timeout) {
            do {
                return try await self.attempt(request)
            } catch let response as ErrorResponse where response.code == .useDPoPNonce && request.proof.repeatsWithNonce
            {
                self.log(.debug, "repeats a request with the server's nonce", self.attributes(of: request))
                return try await self.attempt(request)
            }
        }
    }

    /// The same as `send(_:)`, for state machines.
    func result(of request: APIRequest) async -> Result<APIResponse, any Error> {
        do {
            return .success(try await send(request))
        } catch {
            return .failure(error)
        }
    }

    /// Sends a request to another server unchanged. Nothing is learned from its response.
    func forward(_ request: HTTPRequest, body: Data?, timeout: TimeInterval) async throws -> (HTTPResponse, Data) {
        do {
            return try await transport.send(request, body: body, timeout: timeout)
        } catch {
            let origin = "\(request.scheme ?? "https")://\(request.authority ?? "")"
            throw PreludeSessionError.transportError(error, from: origin)
        }
    }

    private func attempt(_ request: APIRequest) async throws -> APIResponse {
        let ready = try await httpRequest(request)
        let sentAt = environment.now()
        let response = try await exchange(ready, for: request, sentAt: sentAt)
        await device.learn(
            nonce: response.header(HeaderName.dpopNonce), date: response.date, sentAt: sentAt,
            receivedAt: environment.now())
        let error =
            (200..<300).contains(response.status)
            ? nil : ErrorResponse(response, to: request.path, at: ready.authority, now: environment.now())
        log(
            response.status >= 500 ? .warning : .debug, "a request is answered",
            attributes(of: request) + [
                .number("status", response.status), .term("code", error?.code.rawValue),
                .requestID(response.requestID), .milliseconds("ms", environment.now().timeIntervalSince(sentAt)),
            ])
        if let expected = error?.expectedTarget { logTarget(of: request, expected: expected) }
        if let error { throw error }
        return response
    }

    private func exchange(_ ready: HTTPRequest, for request: APIRequest, sentAt: Date) async throws -> APIResponse {
        do {
            let (head, body) = try await transport.send(
                ready, body: request.body, timeout: timeout, maximumResponseBytes: Self.maximumResponseBytes)
            try AnswerIsPage.check(head)
            return APIResponse(status: head.status.code, fields: head.headerFields, body: body)
        } catch {
            let error = PreludeSessionError.transportError(error, from: origin)
            log(
                .warning, "a request gets no answer",
                attributes(of: request) + [
                    .error(error), .milliseconds("ms", environment.now().timeIntervalSince(sentAt)),
                ])
            throw error
        }
    }

    /// Logs that the service rejected a proof for its URL, with both URLs: the endpoint, the host override or the service's
    /// public URL is wrong.
    private func logTarget(of request: APIRequest, expected: String) {
        log(
            .warning, "the service rejects the URL of a proof",
            [
                .term("method", request.method.rawValue), .url("signed", proofTarget(of: request)),
                .url("expected", TargetURI(expected), path: request.path),
            ])
    }

    /// Without the query, which may contain an id.
    private func attributes(of request: APIRequest) -> [PreludeSessionLogAttribute?] {
        [.term("method", request.method.rawValue), .path(request.path)]
    }

    private func httpRequest(_ request: APIRequest) async throws -> HTTPRequest {
        guard let schemeEnd = origin.range(of: "://") else {
            throw PreludeSessionError.invalidConfiguration("the endpoint is not an origin")
        }
        let authority = String(origin[schemeEnd.upperBound...])
        var fields = HTTPFields()
        func set(_ name: String, _ value: String?) {
            guard let value, let name = HTTPField.Name(name) else { return }
            fields[name] = value
        }
        set("accept", "application/json")
        set("content-type", request.body == nil ? nil : "application/json")
        set("user-agent", UserAgent.current)
        set("host", hostOverride)
        set(HeaderName.deviceID, try await device.id())
        let token = request.accessToken.map(AccessTokenBinding.init)
        set("authorization", token?.authorization)
        for (name, value) in request.headers { set(name, value) }
        set(HeaderName.dpop, try await proof(for: request, token: token))
        return HTTPRequest(
            method: request.method, scheme: String(origin[..<schemeEnd.lowerBound]), authority: authority,
            path: request.target, headerFields: fields)
    }

    /// The DPoP proof. Its `htu` names the overridden host, because the server compares it with its own URL.
    private func proof(for request: APIRequest, token: AccessTokenBinding?) async throws -> String? {
        var (challengeID, attempt): (String?, String?)
        switch request.proof {
        case .none: return nil
        case .session: break
        case .login(let id), .refresh(let id): attempt = id
        case .challenge(let id): challengeID = id
        }
        guard let target = proofTarget(of: request) else {
            throw PreludeSessionError.invalidConfiguration("the endpoint is not a valid URL")
        }
        return try await device.proof(
            method: request.method.rawValue, target: target, token: token,
            challengeID: challengeID, attempt: attempt)
    }

    private func proofTarget(of request: APIRequest) -> TargetURI? {
        let scheme = origin.hasPrefix("http://") ? "http://" : "https://"
        return TargetURI(origin: hostOverride.map { scheme + $0 } ?? origin, path: request.pathText)
    }
}

/// One call of the frontend API, without its proof.
struct APIRequest: Sendable {
    /// Which DPoP proof the call carries.
    enum Proof: Sendable {
        case none
        case session
        /// The proof that starts a session, with the id of the login. Each repetition has the same id.
        case login(attempt: String)
        /// The proof of a refresh, with the id of the rotation that it begins or repeats. `RefreshExchange` decides about
        /// each repetition.
        case refresh(attempt: String)
        /// A proof with the `jti` of a challenge token. It has no nonce and is sent once, as the protocol demands.
        case challenge(id: String)

        /// Whether the call is repeated at once with a nonce that the server asks for (RFC 9449 §8).
        var repeatsWithNonce: Bool {
            switch self {
            case .session, .login: true
            case .none, .refresh, .challenge: false
            }
        }
    }

    var method: HTTPRequest.Method = .post
    let path: FrontendPath
    /// The passkey in the path `.passkey`. It needs no escape.
    var credentialID = ""
    var query: [(name: String, value: String)] = []
    var body: Data?
    var proof: Proof = .none
    var accessToken: String?
    var headers: [String: String] = [:]

    init(_ path: FrontendPath) { self.path = path }

    static func post(_ path: FrontendPath, body: some Encodable) throws -> APIRequest {
        var request = APIRequest(path)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        request.body = try encoder.encode(body)
        return request
    }

    static func get(_ path: FrontendPath, query: [(name: String, value: String)] = []) -> APIRequest {
        var request = APIRequest(path)
        request.method = .get
        request.query = query
        return request
    }

    /// The path, with its parameter.
    var pathText: String { path.rawValue.replacingOccurrences(of: "{credential_id}", with: credentialID) }

    /// Path and query with percent-encoded values (RFC 3986 §2.3).
    var target: String {
        guard !query.isEmpty else { return pathText }
        var allowed = CharacterSet.alphanumerics
        allowed.insert(charactersIn: "-._~")
        let pairs = query.map { name, value in
            name + "=" + (value.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")
        }
        return pathText + "?" + pairs.joined(separator: "&")
    }
}

/// A response of the service, as the SDK reads it.
struct APIResponse: Sendable {
    let status: Int
    let fields: HTTPFields
    let body: Data

    func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { fields[$0] } }

    /// The server's time, from the header.
    var date: Date? { header("date").flatMap(HTTPDate.parse) }

    /// The largest accepted `Retry-After`, in seconds: ten years.
    private static let maximumRetryAfter = 315_360_000

    /// Seconds to wait after the response (`Retry-After`, RFC 9110 §10.2.3). The header may be a number of seconds or a date.
    ///
    /// - Parameter now: When the response arrived. Used for a response without a `Date` header.
    func retryAfter(now: Date) -> Int? {
        guard let text = header("retry-after") else { return nil }
        if let seconds = Int(text) { return (0...Self.maximumRetryAfter).contains(seconds) ? seconds : nil }
        guard let retryAt = HTTPDate.parse(text) else { return nil }
        // Prefer the server's clock, because the device's may be wrong by years.
        let wait = retryAt.timeIntervalSince(date ?? now)
        return wait < Double(Self.maximumRetryAfter) ? Int(max(0, wait).rounded(.up)) : nil
    }

    /// The server's id of the request, from the header.
    var requestID: String? { header(HeaderName.requestID).flatMap(ErrorResponse.plainWord) }

    /// Decodes the JSON body.
    ///
    /// - Throws: `.generic` with the code `invalid_answer`.
    func decode<Body: Decodable>(_ type: Body.Type) throws -> Body {
        do {
            return try JSONDecoder().decode(type, from: body)
        } catch {
            throw PreludeSessionError.generic(code: "invalid_answer", message: "the server's response is invalid")
        }
    }

    /// The challenge token in the body.
    ///
    /// - Throws: `.generic` with the code `invalid_answer`.
    func challengeToken() throws -> String { try challenge().challengeToken }

    /// The challenge token in the body, and what comes with it.
    ///
    /// - Throws: `.generic` with the code `invalid_answer`.
    func challenge() throws -> ChallengeResponse {
        guard let body = try? JSONDecoder().decode(ChallengeResponse.self, from: body) else {
            throw PreludeSessionError.generic(
                code: "invalid_answer", message: "the server's response contains no challenge token")
        }
        return body
    }
}

/// A response with status 2xx is an HTML page, so another server has sent it, such as a gateway or a website at the same
/// host. The service sends no pages to the SDK.
struct AnswerIsPage: Error {
    /// - Throws: `PreludeSessionError.network`, whose underlying error is this one. A page with another status is the error of
    ///   its status.
    static func check(_ response: HTTPResponse) throws {
        guard response.status.kind == .successful,
            response.headerFields[.contentType]?.lowercased().hasPrefix("text/html") == true
        else { return }
        throw PreludeSessionError.network(underlying: AnswerIsPage())
    }
}

/// IMF-fixdate (RFC 9110 §5.6.7), such as `Sun, 06 Nov 1994 08:49:37 GMT`.
private enum HTTPDate {
    static func parse(_ text: String) -> Date? {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let parts = text.split { $0 == " " || $0 == ":" }
        guard parts.count == 8, parts[7] == "GMT", let month = months.firstIndex(of: String(parts[2])) else {
            return nil
        }
        let numbers = [1, 3, 4, 5, 6].map { Int(parts[$0]) }
        // Values outside of the syntax could trap in `Calendar`.
        guard let day = numbers[0], (1...31).contains(day), let year = numbers[1], (1...9999).contains(year),
            let hour = numbers[2], (0...23).contains(hour), let minute = numbers[3], (0...59).contains(minute),
            let second = numbers[4], (0...60).contains(second)
        else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        guard let utc = TimeZone(secondsFromGMT: 0) else { return nil }
        calendar.timeZone = utc
        return calendar.date(
            from: DateComponents(
                year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second))
    }
}

/// The SDK's `User-Agent`. The service shows its device and system in the list of sessions.
private enum UserAgent {
    static let current = "Prelude/\(ReleaseVersion.number) (\(maker); \(system) \(systemVersion))"

    #if os(Linux)
        private static let maker = "Linux"
        private static let system = "Linux"
    #else
        private static let maker = "Apple"
        #if os(iOS)
            private static let system = "iOS"
        #elseif os(tvOS)
            private static let system = "tvOS"
        #elseif os(watchOS)
            private static let system = "watchOS"
        #elseif os(visionOS)
            private static let system = "visionOS"
        #else
            private static let system = "macOS"
        #endif
    #endif

    private static var systemVersion: String {
        let version = ProcessInfo.processInfo.operatingSystemVersion
        return "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
    }
}
