public import Foundation
public import PreludeSession

extension TestService {
    /// A client that has just signed in with a code, for tests of what comes after.
    ///
    /// - Parameters:
    ///   - recipient: An e-mail address or a phone number.
    ///   - store: As in `client(store:clockSkew:faults:earlyRefreshMargin:signalsDispatcher:)`, and so the others.
    public func signedIn(
        _ recipient: String = "ada@example.com", store: (any CredentialStore)? = nil, clockSkew: TimeInterval = 0,
        faults: Faults? = nil
    ) async throws -> PreludeSessionClient {
        let client = try client(store: store, clockSkew: clockSkew, faults: faults)
        let type: PreludeIdentifierType = recipient.contains("@") ? .emailAddress : .phoneNumber
        try await client.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: type, value: recipient)))
        _ = try await client.checkOTP(try code(for: recipient))
        return client
    }
}
