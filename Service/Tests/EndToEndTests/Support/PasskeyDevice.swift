import Foundation
import HTTPTypes
import PreludeSession
import PreludeSessionTesting
import SessionConformance
import SessionDomain
import SessionTokens
import SessionWire
import Testing

/// A device without the SDK that has an authenticator.
struct PasskeyDevice {
    static let origin = "https://app.example.com"
    /// An assertion of nothing.
    static let empty = JSONValue.object([
        "id": "AAAA", "rawId": "AAAA", "type": "public-key",
        "response": .object(["clientDataJSON": "AAAA", "authenticatorData": "AAAA", "signature": "AAAA"]),
    ])

    var raw: RawDevice
    let authenticator: SoftwareAuthenticator

    /// Signs a user in with a code.
    init(
        _ world: ServiceWorld, _ email: String = "ada@example.com", key: SigningKey = PublishedKeys.device,
        kind: SoftwareAuthenticator.Kind = .synchronized
    ) async throws {
        raw = try await RawDevice(world, email: email, key: key)
        authenticator = SoftwareAuthenticator(kind)
    }

    static func path(of id: String) -> String { FrontendPath.passkeys.rawValue + "/" + id }

    static func json(_ members: [String: JSONValue]) -> String {
        String(decoding: TokenJSON.write(members), as: UTF8.self)
    }

    /// Sends a request with the access token.
    func call(_ method: HTTPRequest.Method, _ path: String, _ json: String? = nil) async throws -> ServiceAnswer {
        try await raw.world.call(
            path, json: json, headers: ["authorization": "Bearer \(raw.accessToken)"], method: method)
    }

    func begin(username: String, nickname: String?) async throws -> ServiceAnswer {
        var members: [String: JSONValue] = ["username": .string(username)]
        if let nickname { members["nickname"] = .string(nickname) }
        return try await call(.post, FrontendPath.beginPasskeyRegistration.rawValue, Self.json(members))
    }

    /// The body of the call that ends a registration.
    func registration(nickname: String? = nil) async throws -> String {
        let begun = try await begin(username: "ada", nickname: nickname)
        let options = try #require(begun.body["public_key"])
        let excluded = (options["excludeCredentials"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue }
        let response = try authenticator.register(
            try bytes(options["challenge"]), relyingPartyID: try #require(options["rp"]?["id"]?.stringValue),
            origin: Self.origin, userHandle: try bytes(options["user"]?["id"]),
            excluding: excluded.compactMap { Base64URL.decode($0) })
        return Self.json([
            "registration_token": .string(try #require(begun.body["registration_token"]?.stringValue)),
            "attestation": try JSONDecoder().decode(JSONValue.self, from: response.json),
        ])
    }

    func register(nickname: String? = nil) async throws -> ServiceAnswer {
        try await call(
            .post, FrontendPath.finishPasskeyRegistration.rawValue, try await registration(nickname: nickname))
    }

    /// The assertion of a login, with the member `login_token` besides.
    func assertion(
        origin: String = PasskeyDevice.origin, verifiesUser: Bool = true, by other: SoftwareAuthenticator? = nil
    ) async throws -> [String: JSONValue] {
        let begun = try await raw.world.call(FrontendPath.beginPasskeyLogin.rawValue, json: "{}")
        let options = try #require(begun.body["public_key"])
        let response = try (other ?? authenticator).signIn(
            try bytes(options["challenge"]), relyingPartyID: try #require(options["rpId"]?.stringValue),
            origin: origin, verifiesUser: verifiesUser)
        var members = try JSONDecoder().decode([String: JSONValue].self, from: response.json)
        members["login_token"] = .string(try #require(begun.body["login_token"]?.stringValue))
        return members
    }

    func finishLogin(_ assertion: [String: JSONValue]) async throws -> ServiceAnswer {
        var assertion = assertion
        let token = try #require(assertion["login_token"])
        assertion["login_token"] = nil
        return try await raw.world.call(
            FrontendPath.finishPasskeyLogin.rawValue,
            json: Self.json(["login_token": token, "assertion": .object(assertion)]))
    }

    /// - Returns: The challenge token for finalize.
    func signIn() async throws -> String {
        let answer = try await finishLogin(try await assertion())
        return try #require(answer.body["challenge_token"]?.stringValue, "\(answer.body)")
    }

    private func bytes(_ value: PreludeJSONValue?) throws -> Data {
        let text = try #require(value?.stringValue)
        return try #require(Base64URL.decode(text))
    }
}

extension PasskeyDevice {
    /// Requests a scope.
    func request(_ scope: String) async throws -> ServiceAnswer {
        let path = FrontendPath.stepUpRequest
        return try await raw.send(
            path, json: #"{"scope":"\#(scope)"}"#,
            RawDevice.Credentials(
                scheme: "Bearer", accessToken: raw.accessToken,
                proofs: try raw.proof(path, accessToken: raw.accessToken).headers()))
    }

    /// Completes the step `verify_passkey`.
    ///
    /// - Parameter step: The answer that has the challenge token and the options.
    func completeStep(
        _ step: [String: PreludeJSONValue], withToken: Bool, by other: SoftwareAuthenticator? = nil
    ) async throws -> ServiceAnswer {
        let token = try #require(step["challenge_token"]?.stringValue)
        let options = try #require(step["public_key_credential_request_options"])
        let allowed = (options["allowCredentials"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue }
        #expect(allowed.count == 1)
        let response = try (other ?? authenticator).signIn(
            try bytes(options["challenge"]), relyingPartyID: try #require(options["rpId"]?.stringValue),
            origin: Self.origin, allowing: other == nil ? allowed.compactMap { Base64URL.decode($0) } : [])
        let json = Self.json([
            "challenge_token": .string(token),
            "passkey_assertion": try JSONDecoder().decode(JSONValue.self, from: response.json),
        ])
        return try await proven(.stepUpContinue, json, challenge: token, withToken: withToken)
    }

    private func proven(
        _ path: FrontendPath, _ json: String, challenge: String, withToken: Bool
    ) async throws -> ServiceAnswer {
        let id = try #require(
            JWT.unverifiedClaims(of: challenge, as: [String: JSONValue].self)["jti"]?.stringValue)
        return try await raw.send(
            path, json: json,
            RawDevice.Credentials(
                scheme: "Bearer", accessToken: withToken ? raw.accessToken : nil,
                proofs: try raw.proof(.post, path, id: id, accessToken: withToken ? raw.accessToken : nil).headers()))
    }

    /// Gets a scope by a code.
    mutating func stepUp(_ scope: String, code: () throws -> String) async throws {
        let requested = try await request(scope)
        let token = try #require(requested.body["challenge_token"]?.stringValue, "\(requested.body)")
        _ = try await raw.world.call(FrontendPath.otp.rawValue, json: #"{"challenge_token":"\#(token)"}"#)
        let json = #"{"challenge_token":"\#(token)","code":"\#(try code())"}"#
        try await redeem(try await proven(.otpCheck, json, challenge: token, withToken: false))
    }

    /// Refreshes with a completed challenge.
    mutating func redeem(_ completed: ServiceAnswer) async throws {
        let token = try #require(completed.body["challenge_token"]?.stringValue, "\(completed.body)")
        let id = "redeem-\(token.suffix(20))"
        let answer = try await raw.send(
            .refresh, json: #"{"step_up_token":"\#(token)"}"#,
            RawDevice.Credentials(
                proofs: try raw.proof(.post, .refresh, id: id).headers(),
                headers: [HeaderName.refreshToken: raw.refreshToken]))
        try raw.take(answer)
    }
}

extension [String: JSONValue] {
    /// Changes the bytes of a member of `response`.
    mutating func change(_ member: String, _ change: (inout Data) -> Void) throws {
        guard case .object(var response)? = self["response"], let text = response[member]?.stringValue,
            var bytes = Base64URL.decode(text)
        else {
            Issue.record("the response has no member \(member)")
            return
        }
        change(&bytes)
        response[member] = .string(Base64URL.encode(bytes))
        self["response"] = .object(response)
    }
}

extension PreludeJSONValue {
    subscript(member: String) -> PreludeJSONValue? {
        if case .object(let members) = self { members[member] } else { nil }
    }

    subscript(index: Int) -> PreludeJSONValue? {
        arrayValue.flatMap { $0.indices.contains(index) ? $0[index] : nil }
    }

    var arrayValue: [PreludeJSONValue]? { if case .array(let values) = self { values } else { nil } }
    var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    var intValue: Int? { if case .int(let value) = self { Int(value) } else { nil } }
}
