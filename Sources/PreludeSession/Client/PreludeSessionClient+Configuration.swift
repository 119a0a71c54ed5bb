public import Foundation

extension PreludeSessionClient {
    /// The settings of a client.
    ///
    /// ```swift
    /// var configuration = PreludeSessionClient.Configuration(endpoint: .custom("https://session.example.com"))
    /// configuration.earlyRefreshMargin = 60
    /// let client = try PreludeSessionClient(configuration: configuration)
    /// ```
    public struct Configuration: Sendable {
        /// The URL of the session service.
        public var endpoint: Endpoint
        /// The service's public host, if it differs from the endpoint's (a tunnel, a test): a name or an address, with or
        /// without a port. It is used in `Host` and in proofs.
        public var hostOverride: String?
        /// Collects device signals that are sent with logins.
        public var signalsDispatcher: (any PreludeSignalsDispatcher)?
        /// Total seconds per call. Waiting for another process's refresh takes up to three times this, at least 30 seconds.
        public var timeout: TimeInterval = 10
        /// Seconds before expiry from which an access token is refreshed.
        public var earlyRefreshMargin: TimeInterval = 30
        /// Keeps several accounts of one service apart, each signed in on its own: 1 to 64 lower-case letters, digits, `-`
        /// and `_`. `nil` is the only account of most apps.
        public var credentialSpace: String?
        /// Where credentials are kept. `nil` is the Keychain; on Linux a directory of the user for this executable.
        public var credentialStore: (any PreludeCredentialStore)?
        /// Where the device key is kept. `nil` is the Secure Enclave if the device has one, else the credential store.
        public var deviceKeyStore: (any PreludeDeviceKeyStore)?
        /// Sends requests. `nil` is URLSession. On Linux set another one: <doc:RunningOnLinux>.
        public var transport: (any PreludeSessionTransport)?
        /// Receives log entries. `nil` is no log.
        public var logHandler: (any PreludeSessionLogHandler)?
        /// Time and randomness. The product for tests sets its own.
        @_spi(Service) public var environment = SDKEnvironment.live

        /// Creates the standard settings.
        ///
        /// - Parameter endpoint: The URL of the session service.
        public init(endpoint: Endpoint = .default) { self.endpoint = endpoint }
    }
}
