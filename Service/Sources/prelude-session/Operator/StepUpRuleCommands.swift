import ArgumentParser
import Foundation
import SessionDomain
import SessionHTTP

/// The commands on the rules of an app for scopes. `Request` beside them belongs to the user.
extension StepUpCommand {
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show the rules of an app.",
            discussion: "With --json, prints the configuration as the management API has it, and as replace reads it.")

        @Option(help: "The app's id.") var app: AppID
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService { service in
                try options.show(try await service.stepUpConfig.config(of: app))
            }
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Register a scope and set its rules. They replace the earlier rules of this scope.",
            discussion: """
                Without further options, a user gets the scope for 300 seconds after a code: to the e-mail address or, \
                without one, to the phone number. With --passkey, a passkey takes the place of the code. A running service uses the change within 5 seconds. Changed rules end \
                the scope's grants and open challenges.
                """)

        @Option(help: "The app's id.") var app: AppID
        @Argument(help: "The scope, such as transfer:write.") var scope: String
        @OptionGroup var rule: StepUpRuleOptions
        @OptionGroup var outbound: OutboundOptions
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try rule.check(scope)
            try await options.withService(outbound: outbound) { service in
                let config = try await service.stepUpConfig.setRules(rule.rules(for: scope), for: scope, app: app)
                try options.show(config)
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove the rules of a scope, so that no step-up grants it. The scope stays registered.")

        @Option(help: "The app's id.") var app: AppID
        @Argument(help: "The scope.") var scope: String
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService { service in
                try options.show(try await service.stepUpConfig.removeRules(for: scope, app: app))
            }
        }
    }

    struct Replace: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "replace",
            abstract: "Replace the whole configuration by JSON, as PUT config/stepup of the management API does.",
            discussion: """
                Use it for custom steps (jwks_url and step_keys) and for several steps, such as verify_email and then \
                verify_passkey. Scopes are not registered. The \
                rules of scopes that the file leaves out are deleted.
                """)

        @Option(help: "The app's id.") var app: AppID
        @Argument(help: "A file with the configuration. - is standard input.", completion: .file()) var file: String
        @OptionGroup var outbound: OutboundOptions
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            let change = try StepUpRulesFile.read(try contents())
            try await options.withService(outbound: outbound) { service in
                let management = service.stepUpConfig
                let exists = try await service.apps.app(app).stepUp != nil
                let config =
                    exists
                    ? try await management.replace(change, app: app) : try await management.create(change, app: app)
                try options.show(config)
            }
        }

        private func contents() throws -> Data {
            if file == "-" { return try FileHandle.standardInput.readToEnd() ?? Data() }
            guard let data = FileManager.default.contents(atPath: file) else {
                throw ValidationError("\(file) cannot be read.")
            }
            return data
        }
    }
}

extension DatabaseOptions {
    /// Prints one record for each rule, or the JSON of the management API.
    fileprivate func show(_ config: StepUpConfig) throws {
        guard json else { return try show(config.rules.map(\.record)) }
        try printJSON(StepUpConfigBody(config))
    }
}

extension ScopeRule {
    fileprivate var record: Record {
        switch mode {
        case .managed: [("scope", .text(scope)), ("decided by", .text("the service: a code to the new identifier"))]
        case .delegated(let hook): [("scope", .text(scope)), ("decided by", .text(hook))]
        case .direct(let types, let decision):
            [("scope", .text(scope)), ("for users with", .list(types.map(\.rawValue), between: " or "))]
                + decision.record
        }
    }
}

extension StepUpDecision {
    fileprivate var record: Record {
        switch self {
        case .block: [("decision", .text("denied"))]
        case .grant(let terms): [("decision", .text("granted at once"))] + terms.record
        case .review(let terms, let steps):
            [("decision", .text("granted after " + steps.map(\.key).joined(separator: ", ")))] + terms.record
        }
    }
}

extension GrantTerms {
    fileprivate var record: Record {
        [
            ("grant", .text(mode.rawValue)),
            ("seconds", .number(grantedFor == 0 ? nil : grantedFor, none: "one access token")),
        ]
    }
}

/// The options that describe the rules of one scope.
struct StepUpRuleOptions: ParsableArguments {
    /// What the rules decide.
    enum Decision: String, ExpressibleByArgument {
        case review, grant, block
    }

    @Option(help: "review: granted after a code or a passkey. grant: granted at once. block: denied. (default: review)")
    var decision: Decision?

    @Option(help: "An https URL of your backend, which decides instead of all other options.")
    var hook: String?

    @Flag(help: "Only for users with an e-mail address.")
    var email = false

    @Flag(help: "Only for users with a phone number.")
    var phone = false

    @Flag(help: "The step is a passkey (verify_passkey) in place of a code. Users without one do not get the scope.")
    var passkey = false

    @Option(help: "single-use, session-bound or profile-bound. (default: session-bound)")
    var grantMode: GrantMode?

    @Option(help: "Seconds of the grant. 0 is allowed for single-use only: one access token. (default: 300)")
    var grantedFor: Int?

    /// The options of direct rules that the command line names.
    private var direct: [String] {
        [
            ("--decision", decision != nil), ("--email", email), ("--phone", phone), ("--passkey", passkey),
            ("--grant-mode", grantMode != nil), ("--granted-for", grantedFor != nil),
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
        if passkey, let decision, decision != .review {
            throw ValidationError("--passkey has no effect with --decision \(decision.rawValue): there is no step.")
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

    /// One rule per type of identifier, so that the code goes to the one that the user has. One rule for a passkey.
    func rules(for scope: String) -> [StepUpConfigChange.AllowedScope] {
        if let hook { return [.init(scope: scope, mode: "delegated", delegationHook: hook)] }
        if ReservedScope.registered(by: scope) != nil { return [.init(scope: scope, mode: "managed")] }
        let both = email == phone
        let types = [(IdentifierType.emailAddress, email), (.phoneNumber, phone)].filter { both || $0.1 }.map(\.0)
        guard !passkey else {
            return [.init(scope: scope, mode: "direct", direct: rule(for: types, step: StepUpStep.verifyPasskey))]
        }
        return types.map { type in
            .init(scope: scope, mode: "direct", direct: rule(for: [type], step: StepUpStep.key(for: type)))
        }
    }

    private func rule(for types: [IdentifierType], step key: String) -> StepUpConfigChange.Direct {
        let types = types.map(\.rawValue)
        let step = StepUpStep(order: 1, key: key, expirationDuration: 0)
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

/// A file with the step-up configuration of an app.
private enum StepUpRulesFile {
    /// A member whose value does not matter.
    private struct AnyMember: Decodable { init(from decoder: any Decoder) {} }

    /// Reads the configuration. An unknown member is an error here: a misspelt one would delete rules.
    ///
    /// - Throws: `Refusal` that names the member.
    static func read(_ data: Data) throws(Refusal) -> StepUpConfigChange {
        let members = try JSONBody.read([String: AnyMember].self, from: data).keys.sorted()
        for member in members where !StepUpConfigBody.members.contains(member) {
            throw .invalidField(
                member,
                member == "config"
                    ? "is the frame of a response; the file must have its content only" : "is not a known member")
        }
        return try JSONBody.read(StepUpConfigBody.self, from: data).change
    }
}

/// `prelude-session scope`: manages the scopes of one app.
struct ScopeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scope", abstract: "List, register and remove the scopes of an app.",
        subcommands: [List.self, Add.self, Remove.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the scopes that can be granted.")

        @Option(help: "The app's id.") var app: AppID
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService { service in
                try options.show(try await service.stepUpConfig.scopes(of: app).map { [("scope", .text($0))] })
            }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Register a scope.",
            discussion: """
                A registered scope is granted only if a login grants it or a rule decides on it: see step-up set. A running \
                service uses the change within 5 seconds.
                """)

        @Option(help: "The app's id.") var app: AppID
        @Argument(help: "The scope, such as transfer:write.") var scope: String
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService { service in
                try await service.stepUpConfig.register(scope, app: app)
                try options.show([("scope", .text(scope))])
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove a scope with its grants and open challenges.",
            discussion: "No later access token has the scope. Its rules stay, but have no effect without the scope.")

        @Option(help: "The app's id.") var app: AppID
        @Argument(help: "The scope.") var scope: String
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService { service in
                try await service.stepUpConfig.unregister(scope, app: app)
                try options.show([("removed", .text(scope))])
            }
        }
    }
}
