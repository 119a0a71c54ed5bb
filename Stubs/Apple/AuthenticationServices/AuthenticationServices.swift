// A stub for the part of AuthenticationServices that the SDK calls. It has the signatures and the availability of
// Apple's headers and no behavior, so that the SDK's code for passkeys is type-checked on Linux.

public import Foundation

/// On Apple's systems it is `UIWindow` or `NSWindow`.
@MainActor public final class ASPresentationAnchor: NSObject {}

@available(iOS 13, macOS 10.15, tvOS 13, watchOS 6, *)
public class ASAuthorizationRequest: NSObject {}

@available(iOS 13, macOS 10.15, tvOS 13, watchOS 6, *)
public protocol ASAuthorizationCredential: NSObjectProtocol {}

@available(iOS 13, macOS 10.15, tvOS 13, watchOS 6, *)
public final class ASAuthorization: NSObject {
    public let credential: any ASAuthorizationCredential

    init(_ credential: any ASAuthorizationCredential) { self.credential = credential }
}

@available(iOS 13, macOS 10.15, tvOS 13, watchOS 6, *)
public final class ASAuthorizationController: NSObject {
    @available(iOS 16, macOS 13, *)
    public struct RequestOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let preferImmediatelyAvailableCredentials = RequestOptions(rawValue: 1)
    }

    public weak var delegate: (any ASAuthorizationControllerDelegate)?
    public weak var presentationContextProvider: (any ASAuthorizationControllerPresentationContextProviding)?

    public init(authorizationRequests: [ASAuthorizationRequest]) {}

    @available(iOS 16, macOS 13, *)
    public func performRequests(options: RequestOptions = []) {}

    @available(iOS 16, *)
    @available(macOS, unavailable)
    public func performAutoFillAssistedRequests() {}

    @available(iOS 16, macOS 13, tvOS 18, *)
    public func cancel() {}
}

@available(iOS 13, macOS 10.15, tvOS 13, watchOS 6, *)
@MainActor public protocol ASAuthorizationControllerDelegate: NSObjectProtocol {
    // Optional in Apple's headers.
    func authorizationController(
        controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization)
    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error)
}

@available(iOS 13, macOS 10.15, tvOS 13, *)
@MainActor public protocol ASAuthorizationControllerPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor
}

@available(iOS 15, macOS 12, tvOS 16, *)
public struct ASAuthorizationPublicKeyCredentialUserVerificationPreference: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let discouraged = Self(rawValue: "discouraged")
    public static let preferred = Self(rawValue: "preferred")
    public static let required = Self(rawValue: "required")
}

@available(iOS 15, macOS 12, tvOS 16, *)
public final class ASAuthorizationPlatformPublicKeyCredentialDescriptor: NSObject {
    public init(credentialID: Data) {}
}

@available(iOS 15, macOS 12, tvOS 16, *)
public final class ASAuthorizationPlatformPublicKeyCredentialProvider: NSObject {
    public init(relyingPartyIdentifier: String) {}

    public func createCredentialRegistrationRequest(
        challenge: Data, name: String, userID: Data
    ) -> ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest { .init() }

    public func createCredentialAssertionRequest(
        challenge: Data
    ) -> ASAuthorizationPlatformPublicKeyCredentialAssertionRequest { .init() }
}

@available(iOS 15, macOS 12, tvOS 16, *)
public final class ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest: ASAuthorizationRequest {
    public var displayName: String?
    public var userVerificationPreference = ASAuthorizationPublicKeyCredentialUserVerificationPreference.preferred

    // In the header: API_AVAILABLE(macos(13.5), ios(17.4)) API_UNAVAILABLE(tvos, watchos, visionos).
    @available(iOS 17.4, macOS 13.5, *)
    public var excludedCredentials: [ASAuthorizationPlatformPublicKeyCredentialDescriptor]? {
        get { nil }
        set {}
    }
}

@available(iOS 15, macOS 12, tvOS 16, *)
public final class ASAuthorizationPlatformPublicKeyCredentialAssertionRequest: ASAuthorizationRequest {
    public var allowedCredentials: [ASAuthorizationPlatformPublicKeyCredentialDescriptor] = []
    public var userVerificationPreference = ASAuthorizationPublicKeyCredentialUserVerificationPreference.preferred
}

@available(iOS 15, macOS 12, tvOS 16, *)
public final class ASAuthorizationPlatformPublicKeyCredentialRegistration: NSObject, ASAuthorizationCredential {
    public var credentialID: Data { Data() }
    public var rawClientDataJSON: Data { Data() }
    public var rawAttestationObject: Data? { nil }
}

@available(iOS 15, macOS 12, tvOS 16, *)
public final class ASAuthorizationPlatformPublicKeyCredentialAssertion: NSObject, ASAuthorizationCredential {
    public var credentialID: Data { Data() }
    public var rawClientDataJSON: Data { Data() }
    public var rawAuthenticatorData: Data! { Data() }
    public var signature: Data! { Data() }
    public var userID: Data! { Data() }
}

@available(iOS 26, macOS 26, *)
@available(tvOS, unavailable)
@available(watchOS, unavailable)
public final class ASCredentialUpdater {
    public init() {}
    public func reportUnknownPublicKeyCredential(
        relyingPartyIdentifier: String, credentialID: Data
    ) async throws {}
}
