package import Foundation
@_spi(Service) package import PreludeSession
import SessionDomain
import SessionHTTP

extension ServiceWorld {
    /// A client on one device, connected to this service.
    ///
    /// - Parameters:
    ///   - store: The device's credential store; `nil` is a new device.
    ///   - clockSkew: Seconds by which the device's clock is ahead of the service's clock.
    ///   - faults: What fails on this device's network.
    package func client(
        store: (any PreludeCredentialStore)? = nil, credentialSpace: String? = nil, clockSkew: TimeInterval = 0,
        faults: TestService.Faults = TestService.Faults(), earlyRefreshMargin: TimeInterval = 30,
        signalsDispatcher: (any PreludeSignalsDispatcher)? = nil,
        passkeyAuthenticator: (any PreludePasskeyAuthenticator)? = nil
    ) throws -> PreludeSessionClient {
        try client(
            store: store, credentialSpace: credentialSpace, clockSkew: { clockSkew }, faults: faults,
            earlyRefreshMargin: earlyRefreshMargin,
            signalsDispatcher: signalsDispatcher, passkeyAuthenticator: passkeyAuthenticator)
    }

    /// A client on a device whose clock error changes while the client runs.
    package func client(
        store: (any PreludeCredentialStore)? = nil, credentialSpace: String? = nil,
        clockSkew: @escaping @Sendable () -> TimeInterval,
        faults: TestService.Faults = TestService.Faults(), earlyRefreshMargin: TimeInterval = 30,
        signalsDispatcher: (any PreludeSignalsDispatcher)? = nil,
        passkeyAuthenticator: (any PreludePasskeyAuthenticator)? = nil
    ) throws -> PreludeSessionClient {
        let clock = clock
        var configuration = PreludeSessionClient.Configuration(endpoint: .custom(origin))
        configuration.signalsDispatcher = signalsDispatcher
        configuration.passkeyAuthenticator = passkeyAuthenticator ?? SoftwareAuthenticator()
        configuration.earlyRefreshMargin = earlyRefreshMargin
        configuration.credentialSpace = credentialSpace
        configuration.credentialStore = store ?? PreludeInMemoryCredentialStore()
        configuration.transport = InProcessTransport(world: self, faults: faults)
        configuration.environment = SDKEnvironment(
            now: { clock.now.addingTimeInterval(clockSkew()) }, randomBytes: SDKEnvironment.live.randomBytes)
        return try PreludeSessionClient(configuration: configuration)
    }

    /// A client that has just signed in with a code.
    package func signedIn(
        _ recipient: String = "ada@example.com", store: (any PreludeCredentialStore)? = nil,
        clockSkew: TimeInterval = 0,
        faults: TestService.Faults = TestService.Faults()
    ) async throws -> PreludeSessionClient {
        let client = try client(store: store, clockSkew: clockSkew, faults: faults)
        try await signIn(client, as: recipient)
        return client
    }

    /// Signs a client in with a code.
    ///
    /// - Parameter recipient: An e-mail address or a phone number.
    @discardableResult
    package func signIn(
        _ client: PreludeSessionClient, as recipient: String = "ada@example.com"
    ) async throws -> PreludeUser {
        let type: PreludeIdentifierType = recipient.contains("@") ? .emailAddress : .phoneNumber
        try await client.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: type, value: recipient)))
        // A request over a socket does not deliver its messages.
        try await service.messages.deliverDue()
        return try await client.checkOTP(try code(for: recipient))
    }

    /// The last code that was sent to a recipient.
    ///
    /// - Parameter recipient: A phone number or an e-mail address, in any spelling.
    /// - Throws: `TestServiceError` when no code was sent to the recipient. Its text lists the recipients of codes.
    package func code(for recipient: String) throws -> String {
        let wanted = try CanonicalIdentifier(typed: recipient)
        let sent = mailbox.messages.filter { $0.code != nil }
        let match = sent.first { (try? CanonicalIdentifier(typed: $0.to)) == wanted }
        guard let code = match?.code else {
            let others = Set(sent.map(\.to)).sorted().joined(separator: ", ")
            throw TestServiceError(
                """
                no code was sent to \(recipient); codes were sent to: \(others.isEmpty ? "no recipient" : others). \
                Call startOTPLogin(_:) or sendStepUpOTP(_:) first. Without sign-up, only existing users get codes.
                """)
        }
        return code
    }

    /// How many requests of all clients had a purpose.
    package func count(_ call: TestService.Call) -> Int { log.requests.count { $0.call == call } }
}
