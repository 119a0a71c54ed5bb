internal import Foundation
internal import HTTPTypes
internal import SessionTokens
internal import SessionWire

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension SessionEngine {
    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let request = try AppRequest(request)
        let user = try await refresh()
        var (response, body) = try await withKey(of: user) { try await self.send(request, accessToken: $0) }
        if response.status.code == 401, !Self.asksForStepUp(response) {
            let renewed = try await renewedToken(insteadOf: user.accessToken, session: user.profile.sessionID)
            (response, body) = try await send(request, accessToken: renewed)
        }
        return (body, try Self.native(response, of: request.url))
    }

    /// Whether the token is good, and a step-up is what the backend misses (RFC 9470 §3): another token would be as good.
    private static func asksForStepUp(_ response: HTTPResponse) -> Bool {
        response.headerFields[values: .wwwAuthenticate].contains(where: StepUpRequirement.isNamed)
    }

    /// The header fields that make a request the signed-in user's.
    func authorization(for request: AppRequest) async throws -> [String: String] {
        try await withKey(of: refresh()) { try await self.authorization(for: request, accessToken: $0) }
    }

    private func authorization(for request: AppRequest, accessToken: String) async throws -> [String: String] {
        let authorization = AccessTokenBinding.authorization(accessToken)
        guard AccessTokenBinding.isBound(accessToken) else { return ["Authorization": authorization] }
        let proof = try await device.proof(
            method: request.head.method.rawValue, target: request.target, accessToken: accessToken,
            nonce: .from(resourceNonces[request.target.origin]))
        return ["Authorization": authorization, "DPoP": proof]
    }

    /// Sends once, and once more to a backend that wants a nonce (RFC 9449 §9).
    private func send(_ request: AppRequest, accessToken: String) async throws -> (HTTPResponse, Data) {
        let known = resourceNonces[request.target.origin]
        let answer = try await attempt(request, accessToken: accessToken)
        guard answer.0.status.code == 401, AccessTokenBinding.isBound(accessToken),
            let nonce = resourceNonces[request.target.origin], nonce != known
        else { return answer }
        return try await attempt(request, accessToken: accessToken)
    }

    private func attempt(_ request: AppRequest, accessToken: String) async throws -> (HTTPResponse, Data) {
        var head = request.head
        for (name, value) in try await authorization(for: request, accessToken: accessToken) {
            if let name = HTTPField.Name(name) { head.headerFields[name] = value }
        }
        let answer = try await api.carry(head, body: request.body, timeout: request.timeout)
        learn(answer.0, from: request.target.origin)
        return answer
    }

    /// Backends that are known to want nonces, at most; more than an app has.
    private static let maximumNonces = 16

    private func learn(_ response: HTTPResponse, from origin: String) {
        guard let name = HTTPField.Name(HeaderName.dpopNonce), let nonce = response.headerFields[name],
            nonce.utf8.count <= DPoPProofChecker.maximumIDLength
        else { return }
        if resourceNonces[origin] == nil, resourceNonces.count >= Self.maximumNonces { resourceNonces = [:] }
        resourceNonces[origin] = nonce
    }

    private static func native(_ response: HTTPResponse, of url: URL) throws -> HTTPURLResponse {
        var fields: [String: String] = [:]
        for field in response.headerFields {
            // As URLSession does it (RFC 9110 §5.3).
            fields[field.name.rawName] = fields[field.name.rawName].map { $0 + ", " + field.value } ?? field.value
        }
        guard
            let native = HTTPURLResponse(
                url: url, statusCode: response.status.code, httpVersion: "HTTP/1.1", headerFields: fields)
        else { throw PreludeSessionError.generic(code: "invalid_answer", message: "the answer cannot be understood") }
        return native
    }
}
