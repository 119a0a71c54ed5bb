#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    public import AuthenticationServices
    public import Foundation

    /// The passkeys of the system: of iCloud Keychain, and of other password managers that the user has allowed.
    ///
    /// A client without another authenticator has one. Create one yourself only to choose the window of the sheet:
    ///
    /// ```swift
    /// configuration.passkeyAuthenticator = PreludeSystemPasskeyAuthenticator { window }
    /// ```
    @available(iOS 16, macOS 13, *)
    public struct PreludeSystemPasskeyAuthenticator: PreludePasskeyAuthenticator {
        private let window: @MainActor @Sendable () -> ASPresentationAnchor

        /// Creates an authenticator.
        ///
        /// - Parameter window: Returns the window that shows the sheet. By default it is no window of the app, and the
        ///   system chooses the place.
        public init(window: @escaping @MainActor @Sendable () -> ASPresentationAnchor = { ASPresentationAnchor() }) {
            self.window = window
        }

        @MainActor
        public func createPasskey(_ request: PreludePasskeyCreationRequest) async throws -> PreludePasskeyCreation {
            let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(
                relyingPartyIdentifier: request.relyingPartyID)
            let question = provider.createCredentialRegistrationRequest(
                challenge: request.challenge, name: request.userName, userID: request.userHandle)
            question.displayName = request.displayName
            question.userVerificationPreference = request.userVerification.ofSystem
            #if !os(visionOS)
                if #available(iOS 17.4, macOS 13.5, *) {
                    question.excludedCredentials = request.excludedCredentialIDs.map(Self.descriptor)
                }
            #endif
            let answer = try await PasskeySheet(window).answer(to: question) { $0.performRequests() }
            guard case .created(let creation) = answer else { throw PreludePasskeyError.failed }
            return creation
        }

        @MainActor
        public func signIn(_ request: PreludePasskeySignInRequest) async throws -> PreludePasskeySignIn {
            let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(
                relyingPartyIdentifier: request.relyingPartyID)
            let question = provider.createCredentialAssertionRequest(challenge: request.challenge)
            question.allowedCredentials = request.allowedCredentialIDs.map(Self.descriptor)
            question.userVerificationPreference = request.userVerification.ofSystem
            #if os(macOS)
                guard !request.autofill else { throw PreludePasskeyError.notSupported }
            #endif
            let answer = try await PasskeySheet(window).answer(to: question) { controller in
                #if !os(macOS)
                    if request.autofill { return controller.performAutoFillAssistedRequests() }
                #endif
                controller.performRequests(
                    options: request.preferImmediatelyAvailableCredentials
                        ? .preferImmediatelyAvailableCredentials : [])
            }
            guard case .signedIn(let signIn) = answer else { throw PreludePasskeyError.failed }
            return signIn
        }

        /// Tells the password managers of iOS 26 and macOS 26. Earlier ones keep the passkey.
        public func passkeyWasDeleted(_ credentialID: Data, relyingPartyID: String) async {
            guard #available(iOS 26, macOS 26, visionOS 26, *) else { return }
            try? await ASCredentialUpdater().reportUnknownPublicKeyCredential(
                relyingPartyIdentifier: relyingPartyID, credentialID: credentialID)
        }

        private static func descriptor(_ id: Data) -> ASAuthorizationPlatformPublicKeyCredentialDescriptor {
            ASAuthorizationPlatformPublicKeyCredentialDescriptor(credentialID: id)
        }
    }

    @available(iOS 16, macOS 13, *)
    extension PreludePasskeyVerification {
        fileprivate var ofSystem: ASAuthorizationPublicKeyCredentialUserVerificationPreference {
            switch self {
            case .required: .required
            case .preferred: .preferred
            case .discouraged: .discouraged
            }
        }
    }

    /// The answer of the user in plain values, because Apple's are not `Sendable` in every version of its SDK.
    @available(iOS 16, macOS 13, *)
    private enum PasskeyAnswer: Sendable {
        case created(PreludePasskeyCreation)
        case signedIn(PreludePasskeySignIn)
        /// Not an answer to a question of this file.
        case other

        init(_ credential: any ASAuthorizationCredential) {
            switch credential {
            case let created as ASAuthorizationPlatformPublicKeyCredentialRegistration:
                guard let attestationObject = created.rawAttestationObject else {
                    self = .other
                    return
                }
                self = .created(
                    PreludePasskeyCreation(
                        credentialID: created.credentialID, clientDataJSON: created.rawClientDataJSON,
                        attestationObject: attestationObject, attachment: "platform"))
            case let signedIn as ASAuthorizationPlatformPublicKeyCredentialAssertion:
                self = .signedIn(
                    PreludePasskeySignIn(
                        credentialID: signedIn.credentialID, clientDataJSON: signedIn.rawClientDataJSON,
                        authenticatorData: signedIn.rawAuthenticatorData, signature: signedIn.signature,
                        userHandle: signedIn.userID, attachment: "platform"))
            default: self = .other
            }
        }
    }

    /// One question to the user, and its answer.
    @available(iOS 16, macOS 13, *)
    @MainActor
    private final class PasskeySheet: NSObject {
        private let window: @MainActor @Sendable () -> ASPresentationAnchor
        private var controller: ASAuthorizationController?
        private var waiting: CheckedContinuation<PasskeyAnswer, any Error>?

        init(_ window: @escaping @MainActor @Sendable () -> ASPresentationAnchor) { self.window = window }

        /// - Parameter perform: Shows the question.
        func answer(
            to question: ASAuthorizationRequest, _ perform: (ASAuthorizationController) -> Void
        ) async throws -> PasskeyAnswer {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    waiting = continuation
                    let controller = ASAuthorizationController(authorizationRequests: [question])
                    controller.delegate = self
                    controller.presentationContextProvider = self
                    self.controller = controller
                    if Task.isCancelled { end(.failure(CancellationError())) } else { perform(controller) }
                }
            } onCancel: {
                Task { @MainActor in
                    controller?.cancel()
                    end(.failure(CancellationError()))
                }
            }
        }

        private func end(_ result: Result<PasskeyAnswer, any Error>) {
            waiting?.resume(with: result)
            (waiting, controller) = (nil, nil)
        }
    }

    @available(iOS 16, macOS 13, *)
    extension PasskeySheet: ASAuthorizationControllerDelegate, ASAuthorizationControllerPresentationContextProviding {
        func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor { window() }

        func authorizationController(
            controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization
        ) {
            end(.success(PasskeyAnswer(authorization.credential)))
        }

        func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error) {
            end(.failure(PreludePasskeyError.ofSystem(error as NSError)))
        }
    }
#endif
