import PreludeSession

/// Steps up for a scope; `false` when it is denied.
func stepUp(
    to scope: String, client: PreludeSessionClient, askForCode: () async -> String
) async throws -> Bool {
    var challenge = try await client.requestStepUp(scope: scope)
    guard challenge.status != .blocked else { return false }
    while challenge.currentStep != "completed" {
        try await client.sendStepUpOTP(challenge)
        guard let next = try await client.submitStepUpOTP(challenge, code: await askForCode()) else { break }
        challenge = next
    }
    return true
}
