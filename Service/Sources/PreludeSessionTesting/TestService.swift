public import Foundation
public import PreludeSession
import SessionDomain
import SessionHTTP

/// The real session service inside a unit test.
///
/// It runs the service's router and rules over SQLite in memory, without a network, and with a clock that the test
/// moves. Instances share nothing, so tests can run in parallel.
///
/// ```swift
/// let service = try await TestService()
/// let client = try service.client()
/// try await client.startOTPLogin(
///     StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: "ada@example.com")))
/// _ = try await client.checkOTP(try service.code(for: "ada@example.com"))
/// ```
public struct TestService: Sendable {
    /// The clock of the service and of all its clients.
    public let clock: Clock
    /// The failures between the service and every client that has no `faults` of its own.
    public let faults: Faults

    let world: ServiceWorld

    /// Starts a service with one app that has every login enabled: codes by e-mail and SMS, passwords, and passkeys.
    ///
    /// Passkeys have the RP id `session.test` and the origin `https://session.test`.
    /// The login configuration `lcfg_reset` is for a forgotten password: it grants `prld:pwd:write`.
    ///
    /// - Parameters:
    ///   - signUp: Whether signing in with a code creates an unknown user.
    ///   - accessTokenLifetime: How long an access token is valid, from 1 to 15 minutes.
    ///   - bindsAccessTokens: Whether access tokens are bound to the device's key. Such a token is valid only together
    ///     with a proof (RFC 9449 §6).
    /// - Throws: `TestServiceError` for a lifetime out of range.
    public init(
        signUp: Bool = true, accessTokenLifetime: Duration = .seconds(300), bindsAccessTokens: Bool = false
    ) async throws {
        let seconds = Int(accessTokenLifetime.components.seconds)
        guard (60...900).contains(seconds) else {
            throw TestServiceError("accessTokenLifetime must be 60 to 900 seconds, as in the service")
        }
        clock = Clock()
        faults = Faults()
        // All tests share one address, so a limit by address would limit unrelated tests.
        world = try await ServiceWorld(
            clock: clock, origin: "https://session.test", edge: EdgeOptions(exemptsLoopback: true)
        ) { app in
            app.signUp = signUp
            app.sessions.accessTokenLifetime = seconds
            app.sessions.accessTokenBinding = bindsAccessTokens ? .dpop : .bearer
            var reset = OTPLoginConfig(id: "lcfg_reset", channel: .email, isDefault: false, at: app.createdAt)
            reset.grantedScopes = [ReservedScope.writePassword]
            app.otpLogins.append(reset)
            app.scopes.append(ReservedScope.writePassword)
            var passkeys = PasskeyConfig()
            passkeys.relyingPartyID = "session.test"
            (passkeys.createdAt, passkeys.updatedAt) = (app.createdAt, app.createdAt)
            app.passkeys = passkeys
        }
    }

    /// Creates a client on one device, connected to this service.
    ///
    /// - Parameters:
    ///   - store: The device's credential store. Give two clients the same store to simulate a relaunch of the app.
    ///     `nil` is a new device.
    ///   - credentialSpace: The account on this device, for an app with several accounts.
    ///   - clockSkew: Seconds by which the device's clock is ahead of the service's clock. Negative is behind.
    ///   - faults: The failures of this device's network. `nil` shares `faults` of the service.
    ///   - earlyRefreshMargin: Seconds before its expiry at which an access token is refreshed.
    ///   - signalsDispatcher: Collects the device signals that are sent with logins.
    ///   - passkeyAuthenticator: Has the passkeys of this device. `nil` is a new ``SoftwareAuthenticator``.
    /// - Throws: `PreludeSessionError.invalidConfiguration` for a negative margin, or an invalid name of a credential space.
    public func client(
        store: (any PreludeCredentialStore)? = nil, credentialSpace: String? = nil, clockSkew: TimeInterval = 0,
        faults: Faults? = nil, earlyRefreshMargin: TimeInterval = 30,
        signalsDispatcher: (any PreludeSignalsDispatcher)? = nil,
        passkeyAuthenticator: (any PreludePasskeyAuthenticator)? = nil
    ) throws -> PreludeSessionClient {
        try world.client(
            store: store, credentialSpace: credentialSpace, clockSkew: clockSkew, faults: faults ?? self.faults,
            earlyRefreshMargin: earlyRefreshMargin,
            signalsDispatcher: signalsDispatcher, passkeyAuthenticator: passkeyAuthenticator)
    }

    /// Creates a client that has just signed in with a code.
    ///
    /// - Parameters:
    ///   - recipient: An e-mail address or a phone number.
    ///   - store: The device's credential store; `nil` is a new device.
    ///   - clockSkew: Seconds by which the device's clock is ahead of the service's clock. Negative is behind.
    ///   - faults: The failures of this device's network. `nil` shares `faults` of the service.
    /// - Throws: `TestServiceError` when no code was sent, for example to an unknown user without sign-up. Otherwise the
    ///   errors of `PreludeSessionClient.checkOTP(_:)`.
    public func signedIn(
        _ recipient: String = "ada@example.com", store: (any PreludeCredentialStore)? = nil,
        clockSkew: TimeInterval = 0,
        faults: Faults? = nil
    ) async throws -> PreludeSessionClient {
        try await world.signedIn(recipient, store: store, clockSkew: clockSkew, faults: faults ?? self.faults)
    }

    /// The requests of all clients, oldest first, including requests that failed.
    public var requests: [SentRequest] { world.log.requests }

    /// How many requests had a purpose.
    public func count(_ call: Call) -> Int { world.count(call) }
}

/// A mistake in a test. The text says what to do instead.
public struct TestServiceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, and what to do.
    public let description: String

    init(_ description: String) { self.description = description }
}
