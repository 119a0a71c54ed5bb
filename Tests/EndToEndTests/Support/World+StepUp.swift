import Foundation
import HTTPTypes
import PreludeSession
import SessionDomain
import Testing

extension World {
    /// A call of the management API by an operator of the app.
    @discardableResult
    func manage(
        _ path: String, json: String? = nil, method: HTTPRequest.Method? = nil
    ) async throws -> (status: Int, body: [String: PreludeJSONValue]) {
        let (_, secret) = try await service.managementKeys.create(name: "test", app: appID)
        let answer = try await call(
            "/v2/session/apps/\(appID)" + path, json: json, headers: ["authorization": "Bearer \(secret)"],
            method: method)
        return (answer.status, answer.body)
    }

    /// Registers a scope and lets a direct rule decide on it.
    func allow(
        _ scope: String, status: String = "review", mode: String = "single-use", grantedFor: Int = 300,
        steps: [String] = ["verify_email"], identifiers: [String] = ["email_address"]
    ) async throws {
        let list = steps.enumerated().map { index, key in
            #"{"order": \#(index + 1), "key": "\#(key)", "expiration_duration": 600}"#
        }
        let types = identifiers.map { #""\#($0)""# }.joined(separator: ",")
        let config = try await manage(
            "/config/stepup",
            json: """
                {"jwks_url": "", "step_keys": [], "allowed_scopes": [{"scope": "\(scope)", "mode": "direct", "direct": {
                    "identifier_types": [\(types)], "status": "\(status)", "granted_for": \(grantedFor),
                    "grant_mode": "\(mode)", "steps": [\(list.joined(separator: ","))]}}]}
                """)
        try #require(config.status == 201)
        try await register(scope)
    }

    func register(_ scope: String) async throws {
        try #require(try await manage("/config/scopes", json: #"{"scope": "\#(scope)"}"#).status == 201)
    }

    /// The names of what happened, oldest first.
    func happened() async throws -> [String] {
        try await service.store.events(app: appID, limit: 1000, offset: 0).reversed().map(\.name.rawValue)
    }
}

extension PreludeSessionClient {
    /// Steps up for a scope whose only step is a code to an e-mail address.
    func stepUp(_ scope: String, in world: World, email: String = "ada@example.com") async throws {
        let challenge = try await requestStepUp(scope: scope)
        try await sendStepUpOTP(challenge)
        let next = try await submitStepUpOTP(challenge, code: try world.code(for: email))
        try #require(next == nil)
    }

    /// The scopes of the access token at hand.
    func scopes() async throws -> [String] {
        let token = try #require(await accessToken)
        var payload = String(token.split(separator: ".")[1]).replacing("-", with: "+").replacing("_", with: "/")
        payload += String(repeating: "=", count: (4 - payload.count % 4) % 4)
        struct Claims: Decodable { let scope: String? }
        let claims = try JSONDecoder().decode(Claims.self, from: try #require(Data(base64Encoded: payload)))
        return claims.scope?.split(separator: " ").map(String.init) ?? []
    }
}
