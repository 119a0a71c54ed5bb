package import Foundation
internal import HTTPTypes
internal import SessionTokens
internal import SessionWire

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif

/// A response of the app's backend.
struct AppResponse: Sendable {
    let body: Data
    let head: HTTPURLResponse
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
    func response(to request: URLRequest, as session: String? = nil) async throws -> AppResponse {
        let request = try AppRequest(request)
        let user = try await refresh()
        let sessionID = user.profile.sessionID
        guard session == nil || session == sessionID else {
            throw PreludeSessionError.unauthorized("another login replaced the session meanwhile")
        }
        let first = try await withToken(of: user) { try await self.response(to: request, with: $0, as: sessionID) }
        guard first.head.statusCode == 401, first.requirement == nil else { return first }
        let renewed = try await renewedToken(insteadOf: user.accessToken, session: sessionID)
        return try await response(to: request, with: renewed, as: sessionID)
    }

    private func response(
        to request: AppRequest, with accessToken: String, as sessionID: String?
    ) async throws -> AppResponse {
        let (head, body) = try await send(request, accessToken: accessToken)
        return AppResponse(
            body: body, head: try Self.native(head, of: request.url), accessToken: accessToken,
            sessionID: sessionID,
            requirement: StepUpRequirement(
                status: head.status.code, challenges: head.headerFields[values: .wwwAuthenticate]))
    }

    /// What to do before a refused request is sent again.
    func decision(on response: AppResponse) async -> StepUpRequirement.Decision? {
        guard let requirement = response.requirement else { return nil }
        let current = await knownSession()?.accessToken ?? response.accessToken
        return requirement.decision(
            refused: StoredSession.scopes(of: response.accessToken), current: StoredSession.scopes(of: current))
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
        let response = try await attempt(request, accessToken: accessToken)
        guard response.0.status.code == 401, binding(of: accessToken).isBound,
            let nonce = backendNonces[request.target.origin], nonce != known
        else { return response }
        return try await attempt(request, accessToken: accessToken)
    }

    private func attempt(_ request: AppRequest, accessToken: String) async throws -> (HTTPResponse, Data) {
        var head = request.head
        let fields = try await authorization(for: request, accessToken: accessToken)
        head.headerFields[.authorization] = fields.authorization
        if let proof = fields.proof, let name = HTTPField.Name(HeaderName.dpop) { head.headerFields[name] = proof }
        let response = try await api.forward(head, body: request.body, timeout: request.timeout)
        let nonce = HTTPField.Name(HeaderName.dpopNonce).flatMap { response.0.headerFields[$0] }
        backendNonces.learn(nonce, from: request.target.origin)
        return response
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

/// A request to the app's backend that is sent again after a step-up.
package struct AppCall: Sendable {
    /// What a request has led to.
    package enum Outcome: Sendable {
        /// The response to return.
        case response(Data, HTTPURLResponse)
        /// The scope to get before the request is sent again.
        case needs(String)
    }

    private let client: PreludeSessionClient
    private let request: URLRequest
    /// The session that sent the request first.
    private var sessionID: String?
    /// What was done for this request. Nothing is done twice, so a backend that is never content gets its refusal through.
    private var done: [StepUpRequirement.Decision] = []

    package init(_ request: URLRequest, client: PreludeSessionClient) {
        self.client = client
        self.request = request
    }

    /// Sends the request.
    ///
    /// - Throws: The errors of `data(for:)`. `.unauthorized` if another login replaced the session during the step-up.
    package mutating func send() async throws -> Outcome {
        while true {
            let response = try await client.engine.response(to: request, as: sessionID)
            sessionID = response.sessionID
            guard let decision = await client.engine.decision(on: response), !done.contains(decision) else {
                return .response(response.body, response.head)
            }
            done.append(decision)
            if case .stepUp(let scope) = decision { return .needs(scope) }
        }
    }
}

/// The last DPoP nonce of each of the app's backends, by origin (RFC 9449 §9).
final class BackendNonces {
    /// More backends than an app has. When it is reached, all nonces are dropped and learned again.
    private static let capacity = 16

    private var nonces: [String: String] = [:]

    subscript(origin: String) -> String? { nonces[origin] }

    /// Keeps the nonce of a response, if it has a valid one.
    func learn(_ nonce: String?, from origin: String) {
        guard let nonce, nonce.utf8.count <= DPoPProofChecker.maximumIDLength else { return }
        if nonces[origin] == nil, nonces.count >= Self.capacity { nonces = [:] }
        nonces[origin] = nonce
    }
}
