public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension PreludeSessionClient {
    // MARK: Calls to the app's own backend

    /// Sends a request to the app's backend as the signed-in user, and brings the answer whatever its status.
    ///
    /// The access token is refreshed before its time is up. A 401 leads to one refresh, shared by all who need it, and to
    /// one repeat; a second 401 is answered as it is, and so is one that asks for a step-up (see `stepUpScope(in:)`). The
    /// client's transport carries the request, without cookies and without following redirects. A token that is bound to
    /// the device's key goes along with a proof (RFC 9449 §7).
    ///
    /// The client's own `timeout` is for the service, not for your backend. Here the request's `timeoutInterval` counts: the
    /// seconds without a byte after which URLSession gives up, 60 unless you set it. So an answer that keeps coming has no
    /// deadline, and it is kept in memory whatever its size. To end a call, cancel its task; for what is large, authorize
    /// the request with `authorize(_:)` and download it with a URLSession of your own.
    ///
    /// - Parameter request: An https URL, or an http one on this machine. A body stream cannot be sent twice, so it is
    ///   refused: use `httpBody`.
    /// - Throws: `.unauthorized` when nobody is signed in, or no longer; `.network` and `.timeout` when there was no
    ///   answer, of the backend or to the refresh, and the session is kept; `.invalidConfiguration` for a request that
    ///   must not carry a token.
    public func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await engine.data(for: request)
    }

    /// The scope that a backend asks a step-up for: in answers with 401 and `insufficient_user_authentication` (RFC 9470 §3),
    /// as the verifier of this project gives them.
    ///
    /// - Parameter response: An answer of `data(for:)`, which is not repeated when it says so.
    /// - Returns: What to give to `requestStepUp(scope:metadata:)`; `nil` for every other answer.
    public func stepUpScope(in response: HTTPURLResponse) -> String? {
        guard response.statusCode == 401 else { return nil }
        return response.value(forHTTPHeaderField: "WWW-Authenticate").flatMap(StepUpRequirement.scope)
    }

    /// Adds the access token to a request that is sent some other way, and a proof if the token is bound to the device's
    /// key. Made for this request and for now: authorize anew for each use.
    ///
    /// - Parameter request: As for `data(for:)`; its `Authorization` is replaced (RFC 6750 §2.1, RFC 9449 §7.1).
    /// - Throws: As `data(for:)`, before anything is sent to the backend.
    public func authorize(_ request: inout URLRequest) async throws {
        let fields = try await engine.authorization(for: AppRequest(request))
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    }
}
