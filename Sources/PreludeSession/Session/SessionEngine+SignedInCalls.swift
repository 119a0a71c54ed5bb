/// Calls with an access token.
extension SessionEngine {
    /// Sends a call as the signed-in user. A rejected access token is refreshed once and the call repeated, but never for
    /// another user who signed in meanwhile.
    ///
    /// - Parameter accessToken: The token of the first try; `nil` for a valid one.
    func sendSignedIn(_ request: APIRequest, accessToken: String? = nil) async throws -> APIResponse {
        var request = request
        request.proof = .session
        return try await withPublicErrors { try await self.sendAuthorized(request, accessToken: accessToken) }
    }

    /// The same as `sendSignedIn(_:accessToken:)` with the proof of the request, for callers that read the server's error.
    ///
    /// - Throws: `ErrorResponse`, besides the errors of the SDK. One about a challenge says nothing about the access token.
    func sendAuthorized(_ request: APIRequest, accessToken: String? = nil) async throws -> APIResponse {
        let session: String?
        let token: String
        if let accessToken {
            (session, token) = (machine.session?.sessionID, accessToken)
        } else {
            let user = try await refresh()
            (session, token) = (user.profile.sessionID, user.accessToken)
        }
        do {
            return try await send(request, accessToken: token)
        } catch let response as ErrorResponse where response.status != 401 || response.endsChallenge {
            throw response
        } catch let error {
            guard error is ErrorResponse || Self.isKeyLost(error) else { throw error }
            let renewed = try await renewedToken(insteadOf: token, session: session)
            return try await send(request, accessToken: renewed)
        }
    }

    private static func isKeyLost(_ error: any Error) -> Bool {
        if case PreludeSessionError.deviceKeyLost = error { true } else { false }
    }

    /// Another access token of the same session, after one was rejected.
    ///
    /// A token that another caller has refreshed meanwhile is returned as it is. If the refresh fails, its error counts and
    /// not the 401: without a network the user is still signed in.
    func renewedToken(insteadOf token: String, session: String?) async throws -> String {
        invalidate(token)
        let renewed = try await refresh()
        guard renewed.profile.sessionID == session else {
            throw PreludeSessionError.unauthorized("another login replaced the session meanwhile")
        }
        return renewed.accessToken
    }

    /// Uses a user's access token, and once more a renewed one if the device key is lost or replaced. The refresh finds out
    /// whether the session has ended.
    func withToken<Answer: Sendable>(
        of user: PreludeUser, _ work: (_ accessToken: String) async throws -> Answer
    ) async throws -> Answer {
        do {
            return try await work(user.accessToken)
        } catch PreludeSessionError.deviceKeyLost {
            return try await work(try await renewedToken(insteadOf: user.accessToken, session: user.profile.sessionID))
        }
    }

    private func send(_ request: APIRequest, accessToken: String) async throws -> APIResponse {
        var request = request
        request.accessToken = accessToken
        return try await api.send(request)
    }

    /// Sends a call that needs no session.
    func sendAnonymous(_ request: APIRequest) async throws -> APIResponse {
        try await withPublicErrors { try await self.api.send(request) }
    }

    /// Converts the internal `ErrorResponse` into an error of the SDK.
    func withPublicErrors<Answer>(_ work: () async throws -> Answer) async throws -> Answer {
        do {
            return try await work()
        } catch let response as ErrorResponse {
            throw response.error
        }
    }
}
