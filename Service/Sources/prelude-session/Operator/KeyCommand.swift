import ArgumentParser
import Foundation
import SessionDomain
import SessionSQLite

/// `prelude-session key`: manages keys of the management API, and signing keys.
struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Manage keys of the management API, and signing keys.",
        subcommands: [Create.self, List.self, Revoke.self, Rotate.self, Signing.self, Reseal.self, ReplaceMaster.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Create a key of the management API. It is printed once and stored as a hash.")

        @Argument(help: "A name that says what the key is for.")
        var name: String

        @Option(help: "The app that the key can manage. (default: all apps)")
        var app: AppID?

        @Option(help: "What the key may do: read or write.")
        var role = ManagementKey.Role.write

        @Option(name: .customLong("expires-in-days"), help: "Days after which the key is invalid. (default: never)")
        var days: Int?

        @OptionGroup var options: DatabaseOptions

        func validate() throws {
            if let days, !(1...3650).contains(days) {
                throw ValidationError("--expires-in-days must be 1 to 3650")
            }
        }

        func run() async throws {
            try await options.withService { service in
                if let app { _ = try await service.apps.app(app) }
                let (key, secret) = try await service.managementKeys.create(
                    name: name, app: app, role: role,
                    expiresAt: days.map { service.environment.now() + $0 * 86_400 })
                try options.show(key.record + [("key", .text(secret))])
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the keys of the management API, without their values.",
            discussion: "Configured keys are not stored, so they are not listed.")

        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService { service in
                try options.show(try await service.managementKeys.all().map(\.record))
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke",
            abstract: "Revoke a key of the management API, and the keys that it created.",
            discussion: """
                They stop working at once. Prints the ids of the revoked keys. The id of a configured key, \
                mk_configured_…, revokes the keys that it created.
                """)

        @Argument(help: "The key's id, mk_….")
        var id: String

        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService { service in
                try options.show(try await service.managementKeys.revoke(id: id).map { [("revoked", .text($0))] })
            }
        }
    }
}

extension ManagementKey.Role: ExpressibleByArgument {}

extension ManagementKey {
    fileprivate var record: Record {
        [
            ("id", .text(id)), ("name", .text(name)), ("app", .text(appID?.rawValue, none: "every app")),
            ("role", .text(role.rawValue)), ("created by", .text(createdBy?.rawValue, none: "unknown")),
            ("created", .time(createdAt)), ("expires", .time(expiresAt)), ("last used", .time(lastUsedAt)),
        ]
    }
}

extension KeyCommand {
    /// `prelude-session key replace-master`: goes on without master keys that are lost.
    struct ReplaceMaster: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "replace-master",
            abstract: "Go on without master keys that are lost. All users must sign in again.",
            discussion: """
                The last resort: if a backup or another node has the keys, use those. Stop the service on all nodes first. The \
                command ends all sessions, creates the key file if it is missing or damaged, makes new signing keys for those \
                that cannot be opened, and removes routes for messages whose secret cannot be opened. A damaged key file is \
                kept beside the new one. Users, passwords and settings stay. If the command is interrupted, run it again.
                """)

        @OptionGroup var confirmation: Confirmation
        @OptionGroup var options: DatabaseOptions

        /// The sessions end first, then the key file is created, and then the signing keys are replaced.
        ///
        /// Lost master keys are the only trace of an unfinished run. While signing keys are sealed with one, no node
        /// starts, so no session begins, and another run does the whole work again. When no lost key is left, the sessions
        /// have ended. In another order, a killed run could leave sessions that no other run ends.
        func run() async throws {
            let configuration = try options.shared.configuration()
            guard let source = try MasterKeySource.find(for: configuration) else {
                throw ConfigurationError("database", "a database in memory has no master keys")
            }
            let file = try ReplaceableKeyFile(source)
            try checkHasNoKeys(file)
            let existing = try file?.keys ?? source.read() ?? []
            let newFile = try existing.isEmpty ? file?.target() : nil
            try checkIsStopped(configuration)
            var (lost, sessions): (Set<String>, Int) = ([], 0)
            try await configuration.withAssembly(keys: .none, opening: .existing) { assembly in
                lost = try await assembly.service.store.sealingKeyIDs().subtracting(existing.map(\.id))
            }
            guard newFile != nil || !lost.isEmpty else {
                throw ConfigurationError(
                    "master keys",
                    "\(source.name) has all keys of this database. Nothing was changed. To sign all users out, run: "
                        + "prelude-session session revoke --all")
            }
            try confirmation.ask(
                (newFile == nil ? "" : "\(source.name) has no key. ")
                    + "Lost: \(lost.isEmpty ? "none" : lost.sorted().joined(separator: ", ")). All users must sign in again, and "
                    + "secrets of routes that cannot be opened are removed.",
                ifNot: "Nothing was changed.")
            try await configuration.withAssembly(keys: .none, opening: .existing) { assembly in
                sessions = try await endAllSessions(of: assembly.service)
            }
            let kept = try newFile.flatMap { try create(at: $0, replacing: file?.damage != nil) }
            try await configuration.withAssembly(keys: .replacing, opening: .existing) { assembly in
                let replaced = try await assembly.service.signingKeys.replaceUnreadable()
                try options.show([
                    ("key file", .text(source.name)), ("damaged key file", .text(kept, none: "none")),
                    ("lost master keys", .list(lost.sorted())), ("replaced signing keys", .number(replaced.keys)),
                    ("revoked sessions", .number(sessions)),
                    ("apps without their routes", .list(replaced.appsWithoutRoutes.map(\.rawValue), none: "none")),
                ])
            }
        }

        /// Checks that a damaged file has nothing that an operator could repair by hand: what its keys have sealed would
        /// be lost.
        private func checkHasNoKeys(_ file: ReplaceableKeyFile?) throws {
            guard let file, let damage = file.damage, file.mayHaveKeys else { return }
            throw ConfigurationError(
                damage.setting,
                damage.problem + ". A text in it can be a key: correct the file, or restore the keys of a backup with "
                    + "`prelude-session backup restore --keys-only`. If it has no key, move it away, and run this command again"
            )
        }

        private func endAllSessions(of service: SessionService) async throws -> Int {
            let sweep = SessionSweep(store: service.store, environment: service.environment)
            var sessions = 0
            for app in try await service.apps.apps() { sessions += try await sweep.endAllSessions(of: app.id).sessions }
            return sessions
        }

        /// Creates the key file with a new key.
        ///
        /// - Returns: The path under which a damaged file is kept.
        private func create(at path: String, replacing isDamaged: Bool) throws -> String? {
            let environment = ServiceEnvironment.live
            guard isDamaged else {
                _ = try KeyFile(path: path).create(environment: environment)
                return nil
            }
            do {
                return try ReplaceableKeyFile.write(
                    [MasterKey(secret: Data(environment.randomBytes(32)))], to: path,
                    keepingAs: KeptSuffix.unused(beside: [path], at: environment.now()))
            } catch StoreError.unavailable(let reason) {
                throw ConfigurationError("key-file", reason)
            }
        }

        /// A running service has the keys, and goes on to sign with them.
        private func checkIsStopped(_ configuration: ServiceConfiguration) throws {
            guard case .file(let database) = configuration.database else { return }
            do {
                try DatabaseReplacement(of: database).release()
            } catch StoreError.inUse {
                throw ConfigurationError(
                    "database",
                    "\(configuration.database.fullPath) is in use. Stop the service on all nodes, and all commands")
            } catch let error as StoreError {
                throw ConfigurationError(error, opening: configuration.database, from: configuration.databaseSource)
            }
        }
    }
}

extension StoredSigningKey.Purpose: ExpressibleByArgument {}

extension KeyCommand {
    /// `prelude-session key rotate`: gives signing keys a successor. The service may run at the same time.
    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate",
            abstract: "Give signing keys a successor.",
            discussion: """
                The new key is published at once. It signs when all verifiers have fetched it, so that no verification \
                fails. Rotating again before that has no effect. With --emergency, the new key signs at once and the old \
                keys are removed: tokens that they signed are rejected, and verifiers reject new tokens until they fetch \
                the key set again.
                """)

        @Option(help: "The app. (default: all apps)")
        var app: AppID?

        @Option(help: "The purpose of the keys: access, challenge or hook. (default: all)")
        var purpose: StoredSigningKey.Purpose?

        @Flag(help: "Remove the app's keys at once, because one has leaked. Needs --app.")
        var emergency = false

        @Option(
            help: """
                Seconds that the new key is published before it signs. Use the value of the service. (default: \
                $PRELUDE_SESSION_KEY_PUBLISH_AHEAD, else the config file, else 395)
                """)
        var keyPublishAhead: String?

        @Flag(help: "Allow a --key-publish-ahead below the safe minimum, as in development mode.")
        var development = false

        @OptionGroup var options: DatabaseOptions

        func validate() throws {
            guard !emergency || app != nil else { throw ValidationError("--emergency needs --app") }
        }

        func run() async throws {
            var flags: [ServiceConfiguration.Key: String] = [:]
            flags[.keyPublishAhead] = keyPublishAhead
            if development { flags[.development] = "true" }
            try await options.withService(flags, rotating: true) { service in
                let apps =
                    if let app { [try await service.apps.app(app).id] } else { try await service.apps.apps().map(\.id) }
                var records: [Record] = []
                for app in apps {
                    for purpose in purpose.map({ [$0] }) ?? StoredSigningKey.Purpose.allCases {
                        try await service.signingKeys.rotate(
                            purpose, of: app, reason: emergency ? .emergency : .request)
                    }
                    records += try await service.signingKeys.all(of: app)
                        .filter { $0.key.purpose == purpose ?? $0.key.purpose }.map { $0.key.record($0.state) }
                }
                try options.show(records)
            }
        }
    }

    /// `prelude-session key signing`: lists the signing keys without their private keys.
    struct Signing: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "signing", abstract: "List the signing keys of apps.")

        @Option(help: "The app. (default: all apps)")
        var app: AppID?

        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService { service in
                let apps =
                    if let app { [try await service.apps.app(app).id] } else { try await service.apps.apps().map(\.id) }
                var records: [Record] = []
                for app in apps {
                    records += try await service.signingKeys.all(of: app).map { $0.key.record($0.state) }
                }
                try options.show(records)
            }
        }
    }

    /// `prelude-session key reseal`: encrypts the private keys in the database with another master key.
    struct Reseal: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reseal",
            abstract: "Seal all signing keys with the current master key.",
            discussion: """
                The current master key is the first one. To change it without downtime: add the new key after the old \
                one on every node, and restart. Put the new key first, and restart. Reseal. Remove the old key. A process \
                without the new key continues with the signing keys that it has already opened. It cannot open new ones, \
                and it cannot restart.

                Refresh tokens depend on the master key that was current when they were made. So keep the old key until \
                idle sessions have expired. Otherwise their users must sign in again.
                """)

        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService(keys: .needed) { service in
                let count = try await service.signingKeys.reseal()
                try options.show([("resealed", .number(count))])
                // Written to standard error, because programs read standard output.
                let note = """
                    Resealed \(count) signing keys and secrets of delivery. All of them are sealed with the master key \
                    \(service.signingKeys.masterKeyID) now.
                    Next: add this key to each running process that lacks it, and restart that process before you rotate \
                    signing keys. Until then it continues with the keys that it has opened.
                    Then remove the old master key: after the idle lifetime of your sessions if you change keys by schedule, \
                    at once if it has leaked. Sessions whose refresh tokens it made end with it.
                    If it has leaked, also run `key rotate --app APP --emergency` for each app.

                    """
                FileHandle.standardError.write(Data(note.utf8))
            }
        }
    }
}

extension StoredSigningKey {
    fileprivate func record(_ state: KeySchedule.State) -> Record {
        [
            ("app", .text(appID.rawValue)), ("purpose", .text(purpose.rawValue)), ("key_id", .text(keyID)),
            ("algorithm", .text(algorithm.rawValue)), ("state", .text(state.rawValue)), ("created", .time(createdAt)),
            ("active from", .time(activeFrom)), ("retires", .time(retiresAt, none: "–")),
            ("removed after", .time(removeAfter, none: "–")),
        ]
    }
}
