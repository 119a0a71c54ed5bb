import HTTPTypes
import PreludeSessionTesting
import SessionConformance
import SessionWire
import Testing

extension RawDevice {
    /// The credentials of one request.
    struct Credentials {
        var scheme = "DPoP"
        var accessToken: String?
        var proofs: [String] = []
        var headers: [String: String] = [:]
    }

    /// The valid credentials of a request with the current access token.
    func credentials(_ path: FrontendPath) throws -> Credentials {
        Credentials(accessToken: accessToken, proofs: try proof(path, accessToken: accessToken).headers())
    }

    /// Sends a request. A path that only reads is a GET without a body.
    func send(_ path: FrontendPath, json: String? = "{}", _ credentials: Credentials) async throws -> ServiceAnswer {
        var fields = HTTPFields()
        if let token = credentials.accessToken { fields[.authorization] = credentials.scheme + " " + token }
        for (name, value) in credentials.headers { fields[try #require(HTTPField.Name(name))] = value }
        for proof in credentials.proofs {
            fields.append(HTTPField(name: try #require(HTTPField.Name(HeaderName.dpop)), value: proof))
        }
        return try await world.router.send(
            path.method, path.rawValue, fields: fields, json: path.method == .get ? nil : json)
    }

    /// Finalizes a login with a proof after one change.
    func finalize(
        _ challenge: String, id: String = "e1j3V_bKic8-LAEB", headers: [String: String] = [:],
        proof change: (inout ProofDraft) throws -> Void = { _ in }
    ) async throws -> ServiceAnswer {
        let proofs = try proof(.post, .finalize, id: id).with(change).headers()
        return try await send(
            .finalize, json: #"{"challenge_token":"\#(challenge)"}"#, Credentials(proofs: proofs, headers: headers))
    }

    /// Lists the user's sessions with a bound token and a proof after one change.
    func boundSessions(
        token: String? = nil, id: String = "e1j3V_bKic8-LAEB", nonce: String? = nil,
        proof change: (inout ProofDraft) throws -> Void = { _ in }
    ) async throws -> ServiceAnswer {
        let token = token ?? accessToken
        let proofs = try proof(.get, .sessions, id: id, accessToken: token, nonce: nonce).with(change).headers()
        return try await send(.sessions, Credentials(accessToken: token, proofs: proofs))
    }

    /// Lists the user's sessions with a bearer token.
    func sessions(token: String) async throws -> ServiceAnswer {
        try await send(.sessions, Credentials(scheme: "Bearer", accessToken: token))
    }

    /// Refreshes with a proof after one change. `bearer` is sent as an access token.
    func refresh(
        bearer: String? = nil, id: String = "e1j3V_bKic8-LAEB", nonce: String? = nil,
        proof change: (inout ProofDraft) throws -> Void = { _ in }
    ) async throws -> ServiceAnswer {
        let proofs = try proof(.post, .refresh, id: id, accessToken: bearer, nonce: nonce).with(change).headers()
        return try await send(
            .refresh,
            Credentials(
                scheme: "Bearer", accessToken: bearer, proofs: proofs,
                headers: [HeaderName.refreshToken: refreshToken]))
    }
}
