import PreludeSessionTesting
import SessionConformance
import SessionDomain
import SessionHTTP

extension ServiceWorld {
    /// The URL of the service in these tests. A port that is not the default shows in origins and DPoP targets.
    static let localOrigin = "http://localhost:8080"

    /// Starts a service at `localOrigin`, with the limits by address that production has.
    ///
    /// - Parameter servesAnyHost: Whether the app answers for hosts that name no app.
    init(
        servesAnyHost: Bool = true, hasher: (any PasswordHasher)? = nil,
        keyRotation: KeyRotationPolicy = KeyRotationPolicy(), configure: (inout App) -> Void = { _ in }
    ) async throws {
        try await self.init(
            clock: TestService.Clock(), origin: Self.localOrigin, servesAnyHost: servesAnyHost, edge: EdgeOptions(),
            hasher: hasher, keyRotation: keyRotation, environment: { $0.generateRSAKey = RSAKeySource().next },
            configure: configure)
    }

    /// The same world, seen through another node on the same database.
    ///
    /// - Parameter clockError: Seconds by which the node's clock is ahead.
    func node(clockError: Int) -> ServiceWorld {
        let clock = clock
        return node { $0.now = { clock.timestamp + clockError } }
    }
}

extension TestService.Clock {
    func advance(seconds: Int) { advance(by: .seconds(seconds)) }
}
