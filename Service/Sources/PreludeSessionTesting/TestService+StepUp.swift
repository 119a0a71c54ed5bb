import PreludeSession
import SessionDomain

extension TestService {
    /// A step that a user must complete for a scope.
    public struct Step: RawRepresentable, Sendable, Hashable {
        /// The step's key, as in `StepUpChallenge.currentStep`.
        public let rawValue: String
        /// Creates a step from its key.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The code that `sendStepUpOTP(_:)` sends to the user's e-mail address.
        public static let verifyEmail = Step(rawValue: "verify_email")
        /// The code that `sendStepUpOTP(_:)` sends to the user's phone number.
        public static let verifySMS = Step(rawValue: "verify_sms")
        /// A passkey of the user. A user without one cannot step up for the scope.
        public static let verifyPasskey = Step(rawValue: "verify_passkey")

        /// A step of the app's own. `TestService.verificationToken(for:as:)` proves its completion.
        public static func own(_ key: String) -> Step { Step(rawValue: key) }
    }
}

extension TestService {
    /// Which access tokens contain a granted scope.
    public enum GrantMode: String, Sendable, Hashable, CaseIterable {
        /// One access token, until the next refresh.
        case singleUse = "single-use"
        /// Every access token of the session.
        case sessionBound = "session-bound"
        /// Every access token of every session of the user.
        case profileBound = "profile-bound"
    }
}

extension TestService {
    /// Lets users step up for a scope. A new rule for the same scope replaces the old rule.
    ///
    /// - Parameters:
    ///   - scope: The scope, such as `transfer:write`, `prld:pwd:write` to change the password, or `prld:passkey:write` to
    ///     register, rename and delete passkeys.
    ///   - steps: The steps that the user must complete, in this order. An empty list grants the scope at once. The
    ///     scopes that register a phone number or an e-mail address ignore it and have fixed steps.
    ///   - grantMode: Which access tokens contain the scope. `prld:passkey:write` cannot have `singleUse`, because a
    ///     registration is two calls.
    ///   - grantedFor: How long the grant is valid, from 1 second to a day.
    /// - Throws: `TestServiceError` for a value that the service would reject.
    public func allow(
        scope: String, steps: [Step] = [.verifyEmail], grantMode: GrantMode = .singleUse,
        grantedFor: Duration = .seconds(300)
    ) async throws {
        let seconds = Int(grantedFor.components.seconds)
        guard (1...GrantTerms.maximumDuration).contains(seconds) else {
            throw TestServiceError("grantedFor must be 1 second to a day, as in the service")
        }
        guard Set(steps).count == steps.count else {
            throw TestServiceError("steps must be different from each other, as in the service")
        }
        guard steps.allSatisfy({ StepUpStep.isWellFormed(key: $0.rawValue) }) else {
            throw TestServiceError("the key of a step must have 1 to 128 letters, digits and . - _ :")
        }
        guard scope != ReservedScope.writePasskey || grantMode != .singleUse else {
            throw TestServiceError(
                "grantMode must be .sessionBound or .profileBound for \(scope), as in the service; a registration is two calls"
            )
        }
        let terms = GrantTerms(mode: grantMode.mode, grantedFor: seconds)
        let decision: StepUpDecision =
            steps.isEmpty
            ? .grant(terms)
            : .review(
                terms,
                steps: steps.enumerated().map { index, step in
                    StepUpStep(order: index + 1, key: step.rawValue, expirationDuration: 0)
                })
        let types = steps.compactMap { StepUpStep(order: 1, key: $0.rawValue, expirationDuration: 0).identifierType }
        let custom = steps.map(\.rawValue).filter { !StepUpStep.ownKeys.contains($0) }
        try await decide(
            on: scope, by: .direct(types.isEmpty ? IdentifierType.allCases : types, decision), customSteps: custom)
    }

    /// Denies a scope to all users: `requestStepUp(scope:metadata:)` returns a blocked challenge.
    ///
    /// - Parameter scope: The scope, as for `allow(scope:steps:grantMode:grantedFor:)`.
    /// - Throws: `TestServiceError` for an invalid scope.
    public func deny(scope: String) async throws {
        try await decide(on: scope, by: .direct(IdentifierType.allCases, .block))
    }

    private func decide(on scope: String, by mode: ScopeRule.Mode, customSteps: [String] = []) async throws {
        // The service itself decides how an identifier is registered.
        let isManaged = ReservedScope.registered(by: scope) != nil
        let rule = ScopeRule(scope: scope, mode: isManaged ? .managed : mode)
        guard Scope.isWellFormed(rule.scope) else {
            throw TestServiceError("scope must have 1 to 128 letters, digits and . - _ :")
        }
        let now = clock.timestamp
        try await world.service.apps.update(world.appID) { app in
            var config =
                app.stepUp ?? StepUpConfig(jwksURL: CustomStepSigner.keySetURL, stepKeys: [], rules: [], at: now)
            config.stepKeys += customSteps.filter { !config.stepKeys.contains($0) }
            config.rules.removeAll { $0.scope == rule.scope }
            config.rules.append(rule)
            app.stepUp = config
            if !app.scopes.contains(rule.scope) { app.scopes.append(rule.scope) }
        }
    }
}

extension TestService.GrantMode {
    fileprivate var mode: SessionDomain.GrantMode {
        switch self {
        case .singleUse: .singleUse
        case .sessionBound: .sessionBound
        case .profileBound: .profileBound
        }
    }
}
