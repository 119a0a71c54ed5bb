internal import Foundation
internal import HTTPTypes
internal import SessionTokens
internal import SessionWire

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension SessionEngine {
    /// Sends a request to the app's backend, and repeats it once with a renewed token after a 401.
    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let request = try AppRequest(request)
        let user = try await refresh()
        var (response, body) = try await withToken(of: user) { try await self.send(request, accessToken: $0) }
        if response.status.code == 401, !Self.asksForStepUp(response) {
            let renewed = try await renewedToken(insteadOf: user.accessToken, session: user.profile.sessionID)
            (response, body) = try await send(request, accessToken: renewed)
        }
        return (body, try Self.native(response, of: request.url))
    }

    /// Whether the token is valid but lacks a step-up (RFC 9470 §3). A renewed token would be rejected too.
    private static func asksForStepUp(_ response: HTTPResponse) -> Bool {
        response.headerFields[values: .wwwAuthenticate].contains(where: StepUpRequirement.asksForStepUp)
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
