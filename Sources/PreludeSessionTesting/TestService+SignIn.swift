public import Foundation
public import PreludeSession

extension TestService {
    /// A client that has just signed in with a code, for tests of what comes after.
    ///
    /// - Parameters:
    ///   - recipient: An e-mail address or a phone number.
    ///   - store: Where the device keeps its credentials; `nil` is a new device.
    ///   - clockSkew: Seconds by which the device's clock is ahead of the service's, or behind when negative.
    ///   - faults: What goes wrong on this device's network; `nil` shares `faults` of the service.
    /// - Throws: `TestServiceError` when no code was sent, as to somebody unknown without sign-up; else as
    ///   `PreludeSessionClient.checkOTP(_:)`.
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
