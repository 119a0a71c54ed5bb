import ArgumentParser
import SessionDomain

/// The options that describe the rules of one scope.
struct StepUpRuleOptions: ParsableArguments {
    /// What the rules decide.
    enum Decision: String, ExpressibleByArgument {
        case review, grant, block
    }

    @Option(help: "review: granted after a code. grant: granted at once. block: denied.")
    var decision = Decision.review

    @Option(help: "An https URL of your backend, which decides instead of the options below.")
    var hook: String?

    @Flag(help: "Only for users with an e-mail address.")
    var email = false

    @Flag(help: "Only for users with a phone number.")
    var phone = false

    @Option(help: "single-use, session-bound or profile-bound.")
    var grantMode = GrantMode.sessionBound

    @Option(help: "Seconds of the grant. 0 is allowed for single-use only: one access token.")
    var grantedFor = 300

    /// One rule per type of identifier, so that the code goes to the one that the user has.
    func rules(for scope: String) -> [StepUpConfigChange.AllowedScope] {
        if let hook { return [.init(scope: scope, mode: "delegated", delegationHook: hook)] }
        if ReservedScope.registered(by: scope) != nil { return [.init(scope: scope, mode: "managed")] }
        let both = email == phone
        let types = [(IdentifierType.emailAddress, email), (.phoneNumber, phone)].filter { both || $0.1 }.map(\.0)
        return types.map { .init(scope: scope, mode: "direct", direct: direct(for: $0)) }
    }

    private func direct(for type: IdentifierType) -> StepUpConfigChange.Direct {
        let types = [type.rawValue]
        let step = StepUpStep(order: 1, key: StepUpStep.key(for: type), expirationDuration: 0)
        return switch decision {
        case .block: .init(identifierTypes: types, status: StepUpStatus.block.rawValue)
        case .grant:
            .init(
                identifierTypes: types, status: StepUpStatus.continue.rawValue, grantedFor: grantedFor,
                grantMode: grantMode.rawValue)
        case .review:
            .init(
                identifierTypes: types, status: StepUpStatus.review.rawValue, grantedFor: grantedFor,
                grantMode: grantMode.rawValue, steps: [step])
        }
    }
}

extension GrantMode: ExpressibleByArgument {}
