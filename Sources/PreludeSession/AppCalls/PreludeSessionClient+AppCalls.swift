public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension PreludeSessionClient {
    // MARK: Calls to the app's own backend

    /// Sends a request to the app's backend as the signed-in user, and returns the response with any status.
    ///
    /// The access token is refreshed before it expires. After a 401 the token is refreshed once and the request repeated
    /// once; concurrent calls share the refresh. A second 401 is returned, and so is a response that asks for a step-up: see
    /// `data(for:isolation:stepUp:ownStep:)`. The client's transport sends the request, without cookies and without following redirects. A
    /// token that is bound to the device key is sent with a proof (RFC 9449 §7).
    ///
    /// The client's `timeout` does not apply. The request's `timeoutInterval` does, 60 seconds by default: URLSession gives up
    /// after so many seconds without a byte, and the transport on AsyncHTTPClient after so many in all. The response is held
    /// in memory whatever its size. To stop a call, cancel its task. For large downloads call `authorize(_:)` and use your own
    /// URLSession.
    ///
    /// - Parameter request: An https URL, or an http URL of this device. A body stream is rejected, because it cannot be sent
    ///   twice: use `httpBody`.
    /// - Throws: `.unauthorized` when no user is signed in, or the session has ended; `.network` and `.timeout` without a
    ///   response of the backend or of a refresh, which keep the session; `.invalidConfiguration` for a request that must
    ///   not carry a token.
    public func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let response = try await engine.response(to: request)
        return (response.body, response.head)
    }

    /// Sends a request to the app's backend as the signed-in user. If the backend asks for a step-up, it gets the scope and
    /// sends the request again.
    ///
    /// ```swift
    /// let (data, response) = try await client.data(for: transfer) { challenge, problem in
    ///     let text = await askForCode(problem?.message.text())
    ///     return text.isEmpty ? .resend : .code(text)
    /// }
    /// ```
    ///
    /// A backend asks with 401 or 403 and `WWW-Authenticate`: `insufficient_user_authentication` (RFC 9470 §3), as the
    /// verifier of this project does, or `insufficient_scope` (RFC 6750 §3.1), both with `scope`. Scopes that begin
    /// with `prld:` are not requested: they are of the session service, and a backend needs none. The steps are those of
    /// `stepUp(scope:metadata:isolation:answer:ownStep:)`. Of several scopes, each that the token lacks has its own step-up.
    /// A request that is refused again after that is returned with its status.
    ///
    /// - Parameters:
    ///   - request: As for `data(for:)`.
    ///   - isolation: Where the closures run: on the caller's actor.
    ///   - answer: Asks the user for a code, see `stepUp(scope:metadata:isolation:answer:ownStep:)`.
    ///   - ownStep: Returns the proof of a step of the app's own.
    /// - Returns: The response to the last request, with any status.
    /// - Throws: The errors of `data(for:)` and of `stepUp(scope:metadata:isolation:answer:ownStep:)`: `.forbidden` for a
    ///   denied scope, `CancellationError` when the user cancels; `.unauthorized` when another login replaced the session
    ///   meanwhile.
    public func data(
        for request: URLRequest, isolation: isolated (any Actor)? = #isolation,
        stepUp answer: (_ challenge: StepUpChallenge, _ problem: PreludeSessionError?) async throws -> StepUpAnswer,
        ownStep: ((StepUpChallenge) async throws -> String)? = nil
    ) async throws -> (Data, HTTPURLResponse) {
        var call = AppCall(request, client: self)
        while true {
            switch try await call.send() {
            case .response(let data, let response): return (data, response)
            case .needs(let scope): try await stepUp(scope: scope, answer: answer, ownStep: ownStep)
            }
        }
    }

    /// Fetches a URL of the app's backend as the signed-in user, with `GET` and the standard timeout of a `URLRequest`.
    ///
    /// On Linux you need no `import FoundationNetworking` for it.
    ///
    /// - Parameter url: As for `data(for:)`.
    /// - Throws: The errors of `data(for:)`.
    public func data(from url: URL) async throws -> (Data, HTTPURLResponse) {
        try await data(for: URLRequest(url: url))
    }

    /// The scope that a backend asks a step-up for, in the response to a request that you have authorized and sent yourself.
    ///
    /// For all other requests call `data(for:isolation:stepUp:ownStep:)`.
    ///
    /// - Parameter response: A response to a request of `authorize(_:)`.
    /// - Returns: The first scope of a 401 or 403 with `insufficient_user_authentication` (RFC 9470 §3) or
    ///   `insufficient_scope` (RFC 6750 §3.1), for `stepUp(scope:metadata:isolation:answer:ownStep:)`; `nil` for any other
    ///   response.
    public func stepUpScope(in response: HTTPURLResponse) -> String? {
        let challenges = response.value(forHTTPHeaderField: "WWW-Authenticate").map { [$0] } ?? []
        return StepUpRequirement(status: response.statusCode, challenges: challenges)?.scopes.first
    }

    /// Adds the access token to a request that you send yourself, and a proof if the token is bound to the device key.
    ///
    /// The proof is valid for this request and for a short time. Authorize each request anew.
    ///
    /// - Parameter request: As for `data(for:)`. Its `Authorization` is replaced (RFC 6750 §2.1, RFC 9449 §7.1).
    /// - Throws: The errors of `data(for:)`, except for those of the backend's response.
    public func authorize(_ request: inout URLRequest) async throws {
        request.setFields(try await engine.authorization(for: AppRequest(request)))
    }
}
