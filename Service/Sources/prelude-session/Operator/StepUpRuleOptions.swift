import ArgumentParser
import SessionDomain

/// The options that describe the rules of one scope.
struct StepUpRuleOptions: ParsableArguments {
    /// What the rules decide.
    enum Decision: String, ExpressibleByArgument {
        case review, grant, block
    }

    @Option(help: "review: granted after a code. grant: granted at once. block: denied. (default: review)")
    var decision: Decision?

    @Option(help: "An https URL of your backend, which decides instead of all other options.")
    var hook: String?

    @Flag(help: "Only for users with an e-mail address.")
    var email = false

    @Flag(help: "Only for users with a phone number.")
    var phone = false

    @Option(help: "single-use, session-bound or profile-bound. (default: session-bound)")
    var grantMode: GrantMode?

    @Option(help: "Seconds of the grant. 0 is allowed for single-use only: one access token. (default: 300)")
    var grantedFor: Int?

    /// The options of direct rules that the command line names.
    private var direct: [String] {
        [
            ("--decision", decision != nil), ("--email", email), ("--phone", phone), ("--grant-mode", grantMode != nil),
            ("--granted-for", grantedFor != nil),
        ].filter(\.1).map(\.0)
    }

    /// Rejects options that would have no effect.
    func validate() throws {
        if hook != nil, let other = direct.first {
            throw ValidationError("\(other) has no effect together with --hook: the backend decides.")
        }
        if decision == .block, let other = direct.first(where: { $0.hasPrefix("--grant") }) {
            throw ValidationError("\(other) has no effect on a scope that is denied.")
        }
    }

    /// - Throws: `ValidationError` for options that have no effect on the scope.
    func check(_ scope: String) throws {
        guard ReservedScope.registered(by: scope) != nil else { return }
        if let option = direct.first ?? hook.map({ _ in "--hook" }) {
            throw ValidationError(
                "\(option) has no effect on \(scope): the service itself decides. To deny the scope, remove its rules.")
        }
    }

    /// One rule per type of identifier, so that the code goes to the one that the user has.
    func rules(for scope: String) -> [StepUpConfigChange.AllowedScope] {
        if let hook { return [.init(scope: scope, mode: "delegated", delegationHook: hook)] }
        if ReservedScope.registered(by: scope) != nil { return [.init(scope: scope, mode: "managed")] }
        let both = email == phone
        let types = [(IdentifierType.emailAddress, email), (.phoneNumber, phone)].filter { both || $0.1 }.map(\.0)
        return types.map { .init(scope: scope, mode: "direct", direct: rule(for: $0)) }
    }

    private func rule(for type: IdentifierType) -> StepUpConfigChange.Direct {
        let types = [type.rawValue]
        let step = StepUpStep(order: 1, key: StepUpStep.key(for: type), expirationDuration: 0)
        let (mode, seconds) = ((grantMode ?? .sessionBound).rawValue, grantedFor ?? 300)
        return switch decision ?? .review {
        case .block: .init(identifierTypes: types, status: StepUpStatus.block.rawValue)
        case .grant:
            .init(
                identifierTypes: types, status: StepUpStatus.continue.rawValue, grantedFor: seconds, grantMode: mode)
        case .review:
            .init(
                identifierTypes: types, status: StepUpStatus.review.rawValue, grantedFor: seconds, grantMode: mode,
                steps: [step])
        }
    }
}

extension GrantMode: ExpressibleByArgument {}
