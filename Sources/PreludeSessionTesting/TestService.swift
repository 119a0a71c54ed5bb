public import Foundation
public import PreludeSession
import SessionDomain

/// The real session service inside a unit test: its router and its rules over SQLite in memory, with no network and a
/// clock that the test moves. Each instance is a world of its own, so tests may run in parallel.
///
/// ```swift
/// let service = try await TestService()
/// let client = try service.client()
/// try await client.startOTPLogin(
///     StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: "ada@example.com")))
/// _ = try await client.checkOTP(try service.code(for: "ada@example.com"))
/// ```
public struct TestService: Sendable {
    /// The one clock of the service and of all its clients.
    public let clock: TestClock
    /// What goes wrong between the service and clients that were made without `faults` of their own.
    public let faults: Faults

    let world: ServiceWorld

    /// Starts a service with one app that has every login on: codes by e-mail and SMS, and passwords.
    ///
    /// - Parameters:
    ///   - signUp: Whether somebody unknown becomes a user by signing in with a code.
    ///   - accessTokenLifetime: How long an access token lasts; at least a minute, at most 15.
    ///   - bindsAccessTokens: Whether access tokens are bound to the device's key, so that they are good with a proof only
    ///     (RFC 9449 §6).
    /// - Throws: `TestServiceError` for another lifetime.
    public init(
        signUp: Bool = true, accessTokenLifetime: Duration = .seconds(300), bindsAccessTokens: Bool = false
    ) async throws {
        let seconds = Int(accessTokenLifetime.components.seconds)
        guard (60...900).contains(seconds) else {
            throw TestServiceError("accessTokenLifetime must be 60 to 900 seconds, as in the service")
        }
        clock = TestClock()
        faults = Faults()
        world = try await ServiceWorld(clock: clock) { app in
            app.signUp = signUp
            app.sessions.accessTokenLifetime = seconds
            app.sessions.accessTokenBinding = bindsAccessTokens ? .dpop : .bearer
        }
    }

    /// A client as one device has it, wired to this service.
    ///
    /// - Parameters:
    ///   - store: Where the device keeps its credentials. Give two clients the same store to simulate a relaunch of the
    ///     app; `nil` is a new device.
    ///   - clockSkew: Seconds by which the device's clock is ahead of the service's, or behind when negative.
    ///   - faults: What goes wrong on this device's network; `nil` shares `faults` of the service.
    ///   - earlyRefreshMargin: Seconds before its end from which an access token is refreshed.
    ///   - signalsDispatcher: Collects device signals that go along with logins.
    /// - Throws: `PreludeSessionError.invalidConfiguration` for a negative margin.
    public func client(
        store: (any CredentialStore)? = nil, clockSkew: TimeInterval = 0, faults: Faults? = nil,
        earlyRefreshMargin: TimeInterval = 30, signalsDispatcher: (any PreludeSignalsDispatcher)? = nil
    ) throws -> PreludeSessionClient {
        let clock = clock
        return try PreludeSessionClient(
            endpoint: .custom(ServiceWorld.origin), signalsDispatcher: signalsDispatcher,
            earlyRefreshMargin: earlyRefreshMargin, credentialStore: store ?? InMemoryCredentialStore(),
            transport: InProcessTransport(world: world, faults: faults ?? self.faults),
            environment: SDKEnvironment(
                now: { clock.now.addingTimeInterval(clockSkew) }, randomBytes: SDKEnvironment.live.randomBytes))
    }

    /// What the clients sent, oldest first; forged and lost requests included.
    public var requests: [SentRequest] { world.log.requests }

    /// How often a call was sent.
    public func count(_ call: ServiceCall) -> Int { requests.count { $0.call == call } }
}
