import ArgumentParser
import Foundation
import SessionDomain
import SessionHTTP
import SessionTokens

/// `prelude-session config`: reads and changes the settings of an app that have a schema.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Show the settings of an app, and change them.",
        subcommands: [Get.self, Set.self])

    struct Get: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "get", abstract: "Show settings with their defaults and the values that are possible.",
            discussion:
                "The names and values are those of the management API, in the calls that docs/settings.md names.")

        @Option(help: "The app's id. Without it, the values of an app are not shown.") var app: AppID?
        @Argument(help: GroupName.help) var group: GroupName?
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            let groups = SettingsGroups.all.filter { group == nil || $0.groupName == group?.name }
            guard let app else { return try options.show(groups.flatMap { $0.records(of: nil) }) }
            try await options.withService(of: app) { service in
                let settings = try await service.apps.app(app)
                try options.show(groups.flatMap { $0.records(of: settings) })
            }
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Change settings of a group, and show what has changed.",
            discussion: """
                For example: prelude-session config set --app abc1234 limits code_lifetime=300 \
                'starts={"limit": 3, "window": 600}'. A value is JSON or a text; null is the default. What is not named stays, \
                also in an object. A running service uses the change within 5 seconds, with PostgreSQL within one.
                """)

        @Option(help: "The app's id.") var app: AppID
        @Flag(help: "Show what would change, and change nothing.") var dryRun = false
        @Argument(help: GroupName.help) var group: GroupName
        @Argument(help: "NAME=VALUE, once for each setting.") var settings: [Assignment]
        @OptionGroup var outbound: OutboundOptions
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            // Hooks and another algorithm of tokens need new keys, which are stored encrypted.
            let keys: MasterKeyUse = dryRun ? .none : .needed
            try await options.withService(of: app, keys: keys, outbound: outbound) { service in
                guard let type = SettingsGroups.all.first(where: { $0.groupName == group.name }) else { return }
                let changes = try await type.change(settings, of: app, isTrial: dryRun, in: service.settings)
                try options.show(
                    changes.sorted { $0.key < $1.key }.map { name, change in
                        [
                            ("setting", .text(name)), ("before", .value(change["before"])),
                            ("after", .value(change["after"])),
                        ]
                    })
            }
        }
    }

    /// The name of a group.
    struct GroupName: ExpressibleByArgument {
        let name: String

        static var help: ArgumentHelp {
            ArgumentHelp("\(allValueStrings.joined(separator: ", ")).", valueName: "group")
        }
        static var allValueStrings: [String] { SettingsGroups.all.map { $0.groupName } }

        init?(argument: String) {
            guard Self.allValueStrings.contains(argument) else { return nil }
            name = argument
        }
    }

    /// `code_lifetime=300`.
    struct Assignment: ExpressibleByArgument {
        let name: String
        /// `nil` sets the default.
        let value: JSONValue?

        init?(argument: String) {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty else { return nil }
            name = parts[0]
            let read = try? TokenJSON.decode(JSONValue.self, from: Data(parts[1].utf8))
            value = read == .null ? nil : read ?? .string(parts[1])
        }
    }
}

extension SettingsGroup {
    fileprivate static var groupName: String { schema.name }

    /// - Parameter app: `nil`: the records have no values.
    fileprivate static func records(of app: App?) -> [Record] {
        let values = app.map { isConfigured(in: $0) ? schema.json($0[keyPath: place]) : [:] }
        let defaults = schema.json(defaults)
        return schema.sections.flatMap { section in
            section.fields.map { field in
                [("setting", .text("\(schema.name).\(field.name)"))]
                    + (values.map { [("value", .value($0[field.name]))] } ?? []) + [
                        ("default", .value(defaults[field.name])), ("range", .text(field.range)),
                        ("section", .text(section.title)), ("description", .text(field.label)),
                        ("hint", .text(field.hint)),
                    ]
            }
        }
    }

    /// - Returns: What differs, by the names in events.
    fileprivate static func change(
        _ assignments: [ConfigCommand.Assignment], of app: AppID, isTrial: Bool, in settings: SettingsManagement
    ) async throws -> [String: JSONValue] {
        // To create the settings of this login would turn it on, which `app enable` does.
        let existence: SettingsExistence = Self.self == PasswordLoginConfig.self ? .stored : .any
        return try await settings.update(Self.self, of: app, existence, isTrial: isTrial) { group in
            var (members, defaults) = (schema.json(group), schema.json(defaults))
            for assignment in assignments {
                members[assignment.name] =
                    assignment.value.map { $0.replacingMembers(of: members[assignment.name]) }
                    ?? defaults[assignment.name]
            }
            if let twice = assignments.first(where: { each in assignments.count { $0.name == each.name } > 1 }) {
                throw Refusal.invalidField(twice.name.escapedForTerminal, "is named twice")
            }
            let known = Swift.Set(schema.fields.map(\.name))
            if let unknown = assignments.first(where: { !known.contains($0.name) }) {
                let hint = SimilarName.of(unknown.name, in: known).map { "; did you mean \($0)?" } ?? ""
                throw Refusal.invalidField(unknown.name.escapedForTerminal, "is unknown" + hint)
            }
            group = try group.replaced(by: members)
        }.changes
    }
}

extension JSONValue {
    /// The object with the members that only another one has. Any other value is itself.
    fileprivate func replacingMembers(of other: JSONValue?) -> JSONValue {
        guard case .object(let new) = self, case .object(let old)? = other else { return self }
        return .object(old.merging(new) { _, new in new })
    }

    fileprivate subscript(_ name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }
}

extension RecordValue {
    fileprivate static func value(_ value: JSONValue?) -> RecordValue {
        switch value {
        case nil, .null?: RecordValue(json: .null, text: "–")
        case .string(let text)?: .text(text)
        case let value?:
            RecordValue(json: value, text: (try? String(decoding: TokenJSON.encode(value), as: UTF8.self)) ?? "")
        }
    }
}
