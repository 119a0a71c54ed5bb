/// How an operator confirms who they are.
package enum OperatorConfirmation: Sendable {
    /// The management key of the session.
    case key(String)
    case password(String)
    case code(String, verification: String)
}

/// A login of an operator that is proven, and has not begun a session.
package struct OperatorProof: Sendable {
    let challenge: String
}

/// The logins of the operator app: with the services, limits and times of every app's logins.
///
/// Known and unknown addresses get the same answers after the same time, because those services see to it.
package struct OperatorLogin: Sendable {
    private let store: any AppStore
    private let directory: AppDirectory
    private let codes: OTPLogin
    private let passwords: PasswordLogin
    private let sessions: SessionLifecycle
    private let environment: ServiceEnvironment

    init(
        store: any AppStore, directory: AppDirectory, codes: OTPLogin, passwords: PasswordLogin,
        sessions: SessionLifecycle, environment: ServiceEnvironment
    ) {
        self.store = store
        self.directory = directory
        self.codes = codes
        self.passwords = passwords
        self.sessions = sessions
        self.environment = environment
    }

    /// Sends a code to an address, if an active operator has it.
    ///
    /// - Returns: The token with which the code is checked. Only the caller knows it.
    /// - Throws: `Refusal.notFound` before the first operator was invited; the refusals of a login with a code.
    package func sendCode(to address: String, locales: [String], from origin: OperatorOrigin) async throws -> String {
        try await sendCode(to: OperatorManagement.identifier(address), locales: locales, from: origin)
    }

    package func sendCode(
        to address: CanonicalIdentifier, locales: [String], from origin: OperatorOrigin
    ) async throws -> String {
        try await codes.start(
            app: try await app, identifier: address, loginConfigID: nil, codeChallenge: nil,
            deviceToken: origin.deviceToken, client: ClientFacts(locales: locales), source: origin.source)
    }

    package func code(
        _ code: String, verification: String, from origin: OperatorOrigin
    ) async throws -> OperatorProof {
        OperatorProof(
            challenge: try await codes.check(
                app: try await app, token: verification, code: code, deviceToken: origin.deviceToken,
                source: origin.source))
    }

    package func password(
        _ password: String, of address: String, from origin: OperatorOrigin
    ) async throws -> OperatorProof {
        try await self.password(password, of: OperatorManagement.identifier(address), from: origin)
    }

    func password(
        _ password: String, of address: CanonicalIdentifier, from origin: OperatorOrigin
    ) async throws -> OperatorProof {
        OperatorProof(
            challenge: try await passwords.login(
                app: try await app, identifier: address, password: password, deviceToken: origin.deviceToken,
                source: origin.source))
    }

    /// Begins a session of the operator app. Its access token is not used: the cookie of the console names the session.
    func start(_ proof: OperatorProof, device: Device, client: ClientFacts) async throws -> IssuedTokens {
        try await sessions.start(
            app: try await app, challengeToken: proof.challenge, codeVerifier: nil, proof: nil, proofIsOptional: true,
            previousToken: nil, device: device, client: client)
    }

    /// - Throws: `Refusal.unauthorized` if another account was proven.
    func confirm(_ proof: OperatorProof, as person: ConsoleOperator) async throws {
        let claims = try await app.verifyChallenge(proof.challenge, now: environment.now())
        guard claims.sub == person.id else { throw Refusal.unauthorized }
    }

    private var app: AppRuntime {
        get async throws {
            // A look-up of a missing app in the directory would read all apps again.
            guard try await store.app(.operators) != nil else {
                throw Refusal.notFound("there are no operator accounts yet; sign in with a management key")
            }
            return try await directory.app(.operators)
        }
    }
}

/// Where a login of an operator comes from.
package struct OperatorOrigin: Sendable {
    package let source: SourceAddress
    /// The token of a browser in which an operator has signed in before. An invalid one is ignored.
    package let deviceToken: String?

    package init(source: SourceAddress, deviceToken: String? = nil) {
        self.source = source
        self.deviceToken = deviceToken
    }
}
