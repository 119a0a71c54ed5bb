import PreludeSession

/// Steps up for a scope; `false` when it is denied.
func stepUp(
    to scope: String, client: PreludeSessionClient, askForCode: () async -> String,
    prove: (StepUpChallenge) async throws -> String
) async throws -> Bool {
    var challenge = try await client.requestStepUp(scope: scope)
    guard challenge.status != .blocked else { return false }
    while !challenge.isCompleted {
        let next: StepUpChallenge?
        if challenge.expectsCode {
            try await client.sendStepUpOTP(challenge)
            next = try await client.submitStepUpOTP(challenge, code: await askForCode())
        } else {
            // Your own step, by its key: your backend checks it and returns a token.
            next = try await client.continueStepUp(challenge, verificationToken: try await prove(challenge))
        }
        guard let next else { break }
        challenge = next
    }
    return true
}
