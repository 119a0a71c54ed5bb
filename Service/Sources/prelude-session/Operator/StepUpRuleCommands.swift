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
                without one, to the phone number. A running service uses the change within 5 seconds. Changed rules end \
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
                Use it for custom steps (jwks_url and step_keys) and for several steps. Scopes are not registered. The \
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
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        print(String(decoding: try encoder.encode(StepUpConfigBody(config)), as: UTF8.self).escapedJSONForTerminal)
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
