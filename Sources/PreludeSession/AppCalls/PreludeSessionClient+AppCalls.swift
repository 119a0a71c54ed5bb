public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension PreludeSessionClient {
    // MARK: Calls to the app's own backend

    /// Sends a request to the app's backend as the signed-in user, and returns the response with any status.
    ///
    /// The access token is refreshed before it expires. After a 401 the token is refreshed once and the request repeated
    /// once; concurrent calls share the refresh. A second 401 is returned, and so is a 401 that asks for a step-up (see
    /// `stepUpScope(in:)`). The client's transport sends the request, without cookies and without following redirects. A
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
        try await engine.data(for: request)
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

    /// The scope that a backend asks a step-up for, in a 401 with `insufficient_user_authentication` (RFC 9470 §3). The
    /// verifier of this project sends such responses.
    ///
    /// - Parameter response: A response of `data(for:)`.
    /// - Returns: The scope for `requestStepUp(scope:metadata:)`; `nil` for any other response.
    public func stepUpScope(in response: HTTPURLResponse) -> String? {
        guard response.statusCode == 401 else { return nil }
        return response.value(forHTTPHeaderField: "WWW-Authenticate").flatMap(StepUpRequirement.scope)
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
