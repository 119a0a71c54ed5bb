internal import Foundation
internal import HTTPTypes
internal import SessionTokens
internal import SessionWire

/// Sends calls: adds proofs, learns nonces and the server's time, and turns refusals into errors.
actor APIClient {
    private let origin: String
    private let hostOverride: String?
    private let transport: any SessionTransport
    private let timeout: TimeInterval
    private let device: DeviceIdentity
    private let environment: SDKEnvironment
    private let log: SessionLog

    init(
        origin: String, hostOverride: String?, transport: any SessionTransport, timeout: TimeInterval,
        device: DeviceIdentity, environment: SDKEnvironment, log: SessionLog = .none
    ) {
        self.origin = origin
        self.hostOverride = hostOverride
        self.transport = transport
        self.timeout = timeout
        self.device = device
        self.environment = environment
        self.log = log
    }

    /// Sends a call and answers with a success.
    ///
    /// A server that wants a nonce gets one more try with it (RFC 9449 §8).
    ///
    /// - Throws: `ServerRefusal` for an answer that is none, `PreludeSessionError` for no answer; `.timeout` when all of
    ///   it, the try with a nonce included, takes longer than the client's timeout.
    func send(_ request: APIRequest) async throws -> TransportAnswer {
        try await environment.deadline(after: timeout) {
            do {
                return try await self.attempt(request)
            } catch let refusal as ServerRefusal where refusal.code == .useDPoPNonce && request.proof.takesNonce {
                self.log(.debug, "repeats a request with the nonce it was given", self.attributes(of: request))
                return try await self.attempt(request)
            }
        }
    }

    /// Carries a request to another server as it is; its answer is nobody's business here.
    func carry(_ request: HTTPRequest, body: Data?, timeout: TimeInterval) async throws -> (HTTPResponse, Data) {
        do {
            return try await transport.send(request, body: body, timeout: timeout)
        } catch {
            throw PreludeSessionError.ofTransport(error)
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
        let refusal = (200..<300).contains(answer.status) ? nil : ServerRefusal(answer, now: environment.now())
        log(
            answer.status >= 500 ? .warning : .debug, "a request is answered",
            attributes(of: request) + [
                .number("status", answer.status), .term("code", refusal?.code.rawValue),
                .requestID(answer.requestID), .milliseconds("ms", environment.now().timeIntervalSince(sentAt)),
            ])
        if let refusal { throw refusal }
        return answer
    }

    private func exchange(
        _ ready: HTTPRequest, for request: APIRequest, sentAt: Date
    ) async throws -> (HTTPResponse, Data) {
        do {
            return try await transport.send(
                ready, body: request.body, timeout: timeout, maximumAnswer: Self.maximumAnswer)
        } catch {
            let error = PreludeSessionError.ofTransport(error)
            log(
                .warning, "a request gets no answer",
                attributes(of: request) + [
                    .error(error), .milliseconds("ms", environment.now().timeIntervalSince(sentAt)),
                ])
            throw error
        }
    }

    /// Without the query, which may hold an id.
    private nonisolated func attributes(of request: APIRequest) -> [PreludeSessionLogAttribute?] {
        [.term("method", request.method.rawValue), .path(request.path)]
    }

    /// The largest answer that is read, in bytes.
    private static let maximumAnswer = 1 << 20

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
        set("authorization", request.accessToken.map(AccessTokenBinding.authorization))
        for (name, value) in request.headers { set(name, value) }
        set(HeaderName.dpop, try await proof(for: request))
        return HTTPRequest(
            method: request.method, scheme: String(origin[..<schemeEnd.lowerBound]), authority: authority,
            path: request.target, headerFields: fields)
    }

    /// The server compares the proof with the URL it is known by, so an overridden host goes into the proof too.
    private func proof(for request: APIRequest) async throws -> String? {
        let challengeID: String?
        switch request.proof {
        case .none: return nil
        case .session: challengeID = nil
        case .challenge(let id): challengeID = id
        }
        let scheme = origin.hasPrefix("http://") ? "http://" : "https://"
        guard let target = TargetURI(origin: hostOverride.map { scheme + $0 } ?? origin, path: request.path.rawValue)
        else { throw PreludeSessionError.invalidConfiguration("the endpoint makes no valid URL") }
        return try await device.proof(
            method: request.method.rawValue, target: target, accessToken: request.accessToken,
            challengeID: challengeID)
    }
}
