internal import Foundation
internal import HTTPTypes
internal import SessionTokens
internal import SessionWire

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A response of the app's backend.
struct AppAnswer: Sendable {
    let body: Data
    let response: HTTPURLResponse
    /// The token of the request.
    let accessToken: String
    /// The session of the request.
    let sessionID: String?
    /// The step-up that the backend asks for.
    let requirement: StepUpRequirement?
}

extension SessionEngine {
    /// Sends a request to the app's backend, and repeats it once with a renewed token after a 401. A 401 that asks for a
    /// step-up is not repeated, because a renewed token would be rejected too.
    ///
    /// - Parameter session: The session that must send it; `nil` for the current one.
    func answer(to request: URLRequest, as session: String? = nil) async throws -> AppAnswer {
        let request = try AppRequest(request)
        let user = try await refresh()
        let sessionID = user.profile.sessionID
        guard session == nil || session == sessionID else {
            throw PreludeSessionError.unauthorized("another login replaced the session meanwhile")
        }
        let first = try await withToken(of: user) { try await self.answer(to: request, with: $0, as: sessionID) }
        guard first.response.statusCode == 401, first.requirement == nil else { return first }
        let renewed = try await renewedToken(insteadOf: user.accessToken, session: sessionID)
        return try await answer(to: request, with: renewed, as: sessionID)
    }

    private func answer(
        to request: AppRequest, with accessToken: String, as sessionID: String?
    ) async throws -> AppAnswer {
        let (response, body) = try await send(request, accessToken: accessToken)
        return AppAnswer(
            body: body, response: try Self.native(response, of: request.url), accessToken: accessToken,
            sessionID: sessionID,
            requirement: StepUpRequirement(
                status: response.status.code, challenges: response.headerFields[values: .wwwAuthenticate]))
    }

    /// What to do before a refused request is sent again.
    func decision(on answer: AppAnswer) async -> StepUpRequirement.Decision? {
        guard let requirement = answer.requirement else { return nil }
        let current = await knownSession()?.accessToken ?? answer.accessToken
        return requirement.decision(
            refused: StoredSession.scopes(of: answer.accessToken), current: StoredSession.scopes(of: current))
    }

    /// The header fields that authorize a request for the signed-in user.
    func authorization(for request: AppRequest) async throws -> AppAuthorization {
        try await withToken(of: refresh()) { try await self.authorization(for: request, accessToken: $0) }
    }

    private func authorization(for request: AppRequest, accessToken: String) async throws -> AppAuthorization {
        let token = binding(of: accessToken)
        guard token.isBound else { return AppAuthorization(authorization: token.authorization) }
        let proof = try await device.proof(
            method: request.head.method.rawValue, target: request.target, token: token,
            nonce: .ofBackend(backendNonces[request.target.origin]))
        return AppAuthorization(authorization: token.authorization, proof: proof)
    }

    /// Sends a request, and repeats it once for a backend that asks for a nonce (RFC 9449 §9).
    private func send(_ request: AppRequest, accessToken: String) async throws -> (HTTPResponse, Data) {
        let known = backendNonces[request.target.origin]
        let answer = try await attempt(request, accessToken: accessToken)
        guard answer.0.status.code == 401, binding(of: accessToken).isBound,
            let nonce = backendNonces[request.target.origin], nonce != known
        else { return answer }
        return try await attempt(request, accessToken: accessToken)
    }

    private func attempt(_ request: AppRequest, accessToken: String) async throws -> (HTTPResponse, Data) {
        var head = request.head
        let fields = try await authorization(for: request, accessToken: accessToken)
        head.headerFields[.authorization] = fields.authorization
        if let proof = fields.proof, let name = HTTPField.Name(HeaderName.dpop) { head.headerFields[name] = proof }
        let answer = try await api.forward(head, body: request.body, timeout: request.timeout)
        let nonce = HTTPField.Name(HeaderName.dpopNonce).flatMap { answer.0.headerFields[$0] }
        backendNonces.learn(nonce, from: request.target.origin)
        return answer
    }

    private static func native(_ response: HTTPResponse, of url: URL) throws -> HTTPURLResponse {
        var fields: [String: String] = [:]
        for field in response.headerFields {
            // Joined like URLSession does (RFC 9110 §5.3).
            fields[field.name.rawName] = fields[field.name.rawName].map { $0 + ", " + field.value } ?? field.value
        }
        guard
            let native = HTTPURLResponse(
                url: url, statusCode: response.status.code, httpVersion: "HTTP/1.1", headerFields: fields)
        else { throw PreludeSessionError.generic(code: "invalid_answer", message: "the backend's response is invalid") }
        return native
    }
}
