import HTTPTypes
import PreludeSessionTesting
import SessionConformance
import SessionDomain
import SessionTokens
import SessionWire

extension FuzzedService {
    func head(of route: Route, path: String, headers: [(name: String, value: String)]) -> HTTPRequest {
        var fields = HTTPFields()
        for (name, value) in headers {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        return HTTPRequest(
            method: route.method, scheme: "https", authority: Self.host, path: path, headerFields: fields)
    }

    /// The headers of a valid call, with credentials and a new proof.
    func headers(of route: Route) throws -> [(name: String, value: String)] {
        var headers = [("user-agent", "Prelude/1.0 (Apple; iOS 17.4.0)"), ("content-type", "application/json")]
        guard !route.path.hasPrefix("/v2/") else { return headers + [("authorization", "Bearer " + managementKey)] }
        headers += [
            ("accept-language", "de-CH, de;q=0.9"), (HeaderName.deviceID, "0f8fad5b-d9cb-469f-a165-70867728950e"),
        ]
        switch FrontendPath(rawValue: route.path) {
        case .otpRetry, .webLoginRetry: headers.append((HeaderName.verificationToken, verificationToken))
        case .otpCheck, .webLoginCheck, .stepUpContinue, .finalize, .refresh, .revoke:
            headers.append((HeaderName.verificationToken, verificationToken))
            if !refreshToken.isEmpty { headers.append((HeaderName.refreshToken, refreshToken)) }
            headers.append((HeaderName.dpop, try proof(of: route, accessToken: nil)))
        case .sessions, .revokeSessions, .identifiers, .passwordReset, .stepUpRequest:
            headers.append(("authorization", "Bearer " + accessToken))
            headers.append((HeaderName.dpop, try proof(of: route, accessToken: accessToken)))
        case _ where route.path.hasPrefix(FrontendPath.passkeys.rawValue):
            headers.append(("authorization", "Bearer " + accessToken))
        default: break
        }
        return headers
    }

    private func proof(of route: Route, accessToken: String?) throws -> String {
        var draft = ProofDraft(
            method: route.method.rawValue, url: "https://" + Self.host + route.path, accessToken: accessToken,
            nonce: nonce, id: service.environment.newID("jti"), issuedAt: clock.timestamp.seconds)
        if FrontendPath(rawValue: route.path) == .refresh {
            draft.claims["attempt"] = .string("AAECAwQFBgcICQoLDA0ODw")
        }
        return try draft.headers()[0]
    }
}
