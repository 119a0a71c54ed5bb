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
    func send(_ request: APIRequest) async throws -> TransportAnswer {
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
    func result(of request: APIRequest) async -> Result<TransportAnswer, any Error> {
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

    private func attempt(_ request: APIRequest) async throws -> TransportAnswer {
        let ready = try await httpRequest(request)
        let sentAt = environment.now()
        let (response, body) = try await exchange(ready, for: request, sentAt: sentAt)
        let answer = TransportAnswer(status: response.status.code, fields: response.headerFields, body: body)
        await device.learn(
            nonce: answer.header(HeaderName.dpopNonce), date: answer.header("date").flatMap(HTTPDate.parse),
            sentAt: sentAt, receivedAt: environment.now())
        let error =
            (200..<300).contains(answer.status)
            ? nil : ErrorResponse(answer, to: request.path, at: ready.authority, now: environment.now())
        log(
            answer.status >= 500 ? .warning : .debug, "a request is answered",
            attributes(of: request) + [
                .number("status", answer.status), .term("code", error?.code.rawValue),
                .requestID(answer.requestID), .milliseconds("ms", environment.now().timeIntervalSince(sentAt)),
            ])
        if let expected = error?.expectedTarget { logTarget(of: request, expected: expected) }
        if let error { throw error }
        return answer
    }

    private func exchange(
        _ ready: HTTPRequest, for request: APIRequest, sentAt: Date
    ) async throws -> (HTTPResponse, Data) {
        do {
            let answer = try await transport.send(
                ready, body: request.body, timeout: timeout, maximumResponseBytes: Self.maximumResponseBytes)
            try AnswerIsPage.check(answer.0)
            return answer
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
        return TargetURI(origin: hostOverride.map { scheme + $0 } ?? origin, path: request.path.rawValue)
    }
}
