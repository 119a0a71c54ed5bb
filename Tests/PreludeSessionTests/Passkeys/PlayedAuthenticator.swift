import Foundation

@testable import PreludeSession

/// An authenticator that a test plays. It records what it is asked for.
actor PlayedAuthenticator: PreludePasskeyAuthenticator {
    struct Deletion: Equatable {
        let credentialID: Data
        let relyingPartyID: String
    }

    private(set) var creations: [PreludePasskeyCreationRequest] = []
    private(set) var signIns: [PreludePasskeySignInRequest] = []
    private(set) var deletions: [Deletion] = []
    /// What it does before it answers.
    private let work: @Sendable () async throws -> Void

    init(_ work: @escaping @Sendable () async throws -> Void = {}) { self.work = work }

    func createPasskey(_ request: PreludePasskeyCreationRequest) async throws -> PreludePasskeyCreation {
        creations.append(request)
        try await work()
        return PreludePasskeyCreation(
            credentialID: Data("new".utf8), clientDataJSON: Data("client".utf8),
            attestationObject: Data("object".utf8), transports: ["internal"], attachment: "platform")
    }

    func signIn(_ request: PreludePasskeySignInRequest) async throws -> PreludePasskeySignIn {
        signIns.append(request)
        try await work()
        return PreludePasskeySignIn(
            credentialID: Data("old".utf8), clientDataJSON: Data("client".utf8),
            authenticatorData: Data("data".utf8), signature: Data("signature".utf8), userHandle: Data("user".utf8))
    }

    func passkeyWasDeleted(_ credentialID: Data, relyingPartyID: String) {
        deletions.append(Deletion(credentialID: credentialID, relyingPartyID: relyingPartyID))
    }
}

/// Responses of the service about passkeys. `Y2hhbGxlbmdl` is `challenge`, `dXNlcg` is `user`, `b2xk` is `old`.
extension ClientFixture {
    static let registrationBegun = """
        {"public_key":{"rp":{"id":"example.com","name":"Example"},
        "user":{"id":"dXNlcg","name":"ada@example.com","displayName":"Ada"},"challenge":"Y2hhbGxlbmdl",
        "pubKeyCredParams":[{"type":"public-key","alg":-7}],"excludeCredentials":[{"type":"public-key","id":"b2xk"}],
        "authenticatorSelection":{"userVerification":"required"}},"registration_token":"r-1"}
        """
    static let registrationFinished = #"{"credential":{"credential_id":"bmV3","created_at":1750000000}}"#
    static let passkeyOptions = #"{"challenge":"Y2hhbGxlbmdl","rpId":"example.com"}"#
    static let loginBegun = #"{"public_key":\#(passkeyOptions),"login_token":"l-1"}"#

    /// What is sent for the answer of `signIn`.
    static let assertion: [String: PreludeJSONValue] = [
        "id": .string("b2xk"), "rawId": .string("b2xk"), "type": .string("public-key"),
        "response": .object([
            "clientDataJSON": .string("Y2xpZW50"), "authenticatorData": .string("ZGF0YQ"),
            "signature": .string("c2lnbmF0dXJl"), "userHandle": .string("dXNlcg"),
        ]),
    ]

    /// Answers a whole registration, and the refresh after it.
    func answerRegistration() async {
        await transport.answer("/me/passkeys/register/begin", .success(Self.registrationBegun))
        await transport.answer("/me/passkeys/register/finish", .success(Self.registrationFinished))
        await transport.answer("/refresh", refreshed(1))
    }

    /// Answers a login up to the challenge of the accepted passkey.
    func answerPasskeyLogin(_ challenge: String = TestToken.challenge("t0", step: "completed")) async {
        await transport.answer("/login/passkey/begin", .success(Self.loginBegun))
        await transport.answer("/login/passkey/finish", Self.next(challenge))
    }

    /// A challenge whose step is a passkey.
    func passkeyChallenge(
        of client: PreludeSessionClient, options: String? = passkeyOptions
    ) async throws -> StepUpChallenge {
        let member = options.map { #","public_key_credential_request_options":\#($0)"# } ?? ""
        let token = TestToken.challenge("t0", step: "verify_passkey")
        await transport.answer(
            "/stepup/request", .success(#"{"status":"review","challenge_token":"\#(token)"\#(member)}"#))
        return try await client.requestStepUp(scope: "transfer:write")
    }

    /// The paths of all requests, relative to `/v1/session`.
    func sentPaths() async -> [String] { await transport.sent.map { String($0.path.dropFirst("/v1/session".count)) } }
}
