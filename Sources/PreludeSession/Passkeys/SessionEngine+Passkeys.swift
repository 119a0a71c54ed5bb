internal import Foundation
internal import HTTPTypes
internal import SessionTokens
internal import SessionWire

extension SessionEngine {
    // MARK: Registration

    func registerPasskey(_ options: RegisterPasskeyOptions) async throws -> PasskeyRegistrationResult {
        try PreludeSessionError.rejectBlank(options.username, "the user name of a passkey")
        let authenticator = try requireAuthenticator()
        _ = try await loaded()
        let fence = machine.fence
        let begin = BeginPasskeyRegistrationRequest(
            username: options.username, displayName: Self.text(options.displayName),
            nickname: Self.text(options.nickname))
        let begun = try await sendSignedIn(try APIRequest.post(.beginPasskeyRegistration, body: begin))
            .decode(BeginPasskeyRegistrationResponse.self)
        let request = try PreludePasskeyCreationRequest(begun.publicKey)
        let creation = try await ask(for: request.relyingPartyID, isCreation: true) {
            try await authenticator.createPasskey(request)
        }
        // Another user may have signed in while the sheet was shown.
        guard machine.accepts(fence) else {
            throw PreludeSessionError.unauthorized("a login or a logout ended this registration")
        }
        let finish = FinishPasskeyRegistrationRequest(
            registrationToken: begun.registrationToken, attestation: PasskeyAttestation(creation))
        let finished = try await sendSignedIn(try APIRequest.post(.finishPasskeyRegistration, body: finish))
            .decode(FinishPasskeyRegistrationResponse.self)
        await refreshAfterChange(since: fence)
        return PasskeyRegistrationResult(finished)
    }

    /// An empty text is not sent.
    private static func text(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }

    // MARK: Login

    func login(_ options: PasskeyLoginOptions) async throws -> PreludeUser {
        let authenticator = try requireAuthenticator()
        await finishLogout()
        let fence = machine.loginFence
        let begin = BeginPasskeyLoginRequest(dispatchID: await dispatchID())
        let begun = try await sendAnonymous(try APIRequest.post(.beginPasskeyLogin, body: begin))
            .decode(BeginPasskeyLoginResponse.self)
        var request = try PreludePasskeySignInRequest(begun.publicKey)
        request.autofill = options.autofill
        request.preferImmediatelyAvailableCredentials = options.preferImmediatelyAvailableCredentials
        let assertion = try await assertion(for: request, by: authenticator)
        // The sheet may have waited for minutes.
        guard machine.acceptsLogin(fence) else { throw Self.loginOvertaken }
        let response: APIResponse
        do {
            let finish = FinishPasskeyLoginRequest(loginToken: begun.loginToken, assertion: assertion)
            response = try await sendLogin(
                await withTrustedDevice(try APIRequest.post(.finishPasskeyLogin, body: finish)))
        } catch PreludeSessionError.unauthorized(var details) {
            details.field = "assertion"
            throw PreludeSessionError.unauthorized(details)
        }
        let login = PendingLogin(
            passkey: try response.challengeToken(), attempt: environment.newAttemptID(),
            now: await estimatedServerTime())
        return try await redeemOrContinue(login, since: fence)
    }

    // MARK: Step-up

    /// Completes the step `verify_passkey`. If only the refresh after the last step fails, the same call continues from
    /// there without the authenticator.
    func continueStepUpWithPasskey(_ challenge: StepUpChallenge) async throws -> StepUpChallenge? {
        let authenticator = try requireAuthenticator()
        // A challenge has one answer of this kind.
        return try await advance(challenge, by: "passkey", isSignedIn: true) { ticket in
            guard let request = ticket.passkeyRequest else { throw PreludeSessionError.noPasskeyStep }
            return try .post(
                .stepUpContinue,
                body: ContinueStepUpRequest(
                    challengeToken: ticket.token.value,
                    passkeyAssertion: try await self.assertion(for: request, by: authenticator)))
        }
    }

    // MARK: The user's passkeys

    func passkeys() async throws -> [PasskeyCredential] {
        let response = try await sendSignedIn(.get(.passkeys)).decode(PasskeyListResponse.self)
        return (response.credentials ?? []).map(PasskeyCredential.init)
    }

    func renamePasskey(id: String, nickname: String) async throws {
        var request = try APIRequest.post(.passkey, body: RenamePasskeyRequest(nickname: nickname))
        request.method = .patch
        request.credentialID = try Self.checkedPasskeyID(id)
        _ = try await sendSignedIn(request)
    }

    func deletePasskey(id: String) async throws {
        var request = APIRequest(.passkey)
        request.method = .delete
        request.credentialID = try Self.checkedPasskeyID(id)
        _ = try await loaded()
        let fence = machine.fence
        _ = try await sendSignedIn(request)
        if let authenticator, let bytes = Base64URL.decode(id), let host = await device.relyingPartyID() {
            await authenticator.passkeyWasDeleted(bytes, relyingPartyID: host)
        }
        await refreshAfterChange(since: fence)
    }

    /// The id becomes a part of the path, so it must have only characters that need no escape (RFC 3986 §2.3).
    private static func checkedPasskeyID(_ id: String) throws -> String {
        let isPlain = id.utf8.allSatisfy {
            FileName.isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
        }
        guard isPlain, !id.isEmpty else {
            throw PreludeSessionError.invalidConfiguration(
                "the id of a passkey is base64url, as listPasskeys() returns it")
        }
        return id
    }

    // MARK: Helpers

    private func requireAuthenticator() throws -> any PreludePasskeyAuthenticator {
        guard let authenticator else { throw PreludeSessionError.noPasskeyAuthenticator }
        return authenticator
    }

    private func assertion(
        for request: PreludePasskeySignInRequest, by authenticator: any PreludePasskeyAuthenticator
    ) async throws -> PasskeyAssertion {
        PasskeyAssertion(
            try await ask(for: request.relyingPartyID, isCreation: false) { try await authenticator.signIn(request) })
    }

    /// Asks the authenticator, and remembers the host of its passkeys.
    private func ask<Answer: Sendable>(
        for relyingPartyID: String, isCreation: Bool, _ work: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        let task = ceremonies.begin(work)
        do {
            let answer = try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
            await device.learn(relyingPartyID: relyingPartyID)
            return answer
        } catch {
            throw PreludeSessionError.passkeyError(error, relyingPartyID: relyingPartyID, isCreation: isCreation)
        }
    }

    /// Fetches an access token whose claims are of now. The change is done, so a failed refresh is no error: the next
    /// call refreshes.
    private func refreshAfterChange(since fence: Int) async {
        guard machine.accepts(fence), let session = machine.session else { return }
        invalidate(session.accessToken)
        _ = try? await refresh()
    }
}

/// The question to the authenticator that is not answered. Systems show one at a time, and a passkey that is offered
/// above the keyboard waits until the next one begins.
final class PasskeyCeremonies {
    private var running: Task<Void, Never>?

    /// Cancels the question in progress, waits for its end, and begins the next one.
    func begin<Answer: Sendable>(
        _ work: @escaping @Sendable () async throws -> Answer
    ) -> Task<Answer, any Error> {
        let previous = running
        previous?.cancel()
        let task = Task {
            await previous?.value
            try Task.checkCancellation()
            return try await work()
        }
        running = Task {
            await withTaskCancellationHandler {
                _ = await task.result
            } onCancel: {
                task.cancel()
            }
        }
        return task
    }
}
