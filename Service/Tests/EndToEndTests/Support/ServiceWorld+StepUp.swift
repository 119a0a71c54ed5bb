import PreludeSessionTesting
import Testing

extension ServiceWorld {
    /// Registers a scope with a direct rule.
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

    /// Registers a scope.
    func register(_ scope: String) async throws {
        try #require(try await manage("/config/scopes", json: #"{"scope": "\#(scope)"}"#).status == 201)
    }

    /// A hook's decision that requires one step: a code by e-mail.
    static let reviewByCode = """
        {"status": "review", "granted_for": 300, "grant_mode": "single-use",
         "steps": [{"order": 1, "key": "verify_email", "expiration_duration": 600}]}
        """

    /// A world whose scope `transfer:write` is decided by a hook.
    ///
    /// - Parameter json: The hook's response.
    static func withStepUpHook(answering json: String) async throws -> ServiceWorld {
        let (world, hook) = (try await ServiceWorld(), "https://bank.example.com/step-up")
        world.operatorEndpoints.serve(hook, json: json)
        let config = try await world.manage(
            "/config/stepup",
            json: """
                {"jwks_url": "https://example.com/.well-known/jwks.json", "step_keys": [], "allowed_scopes": [
                  {"scope": "transfer:write", "mode": "delegated", "delegated": {"delegation_hook": "\(hook)"}}]}
                """)
        try #require(config.status == 201)
        try await world.register("transfer:write")
        return world
    }
}
