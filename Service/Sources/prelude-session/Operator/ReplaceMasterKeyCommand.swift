import ArgumentParser
import Foundation
import SessionDomain
import SessionSQLite

extension KeyCommand {
    /// `prelude-session key replace-master`: goes on without master keys that are lost.
    struct ReplaceMaster: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "replace-master",
            abstract: "Go on without master keys that are lost. All users must sign in again.",
            discussion: """
                The last resort: if a backup or another node has the keys, use those. Stop the service on all nodes first. The \
                command creates the key file if it is missing, makes new signing keys for those that cannot be opened, ends all \
                sessions, and removes routes for messages whose secret cannot be opened. Users, passwords and settings stay.
                """)

        @OptionGroup var confirmation: Confirmation
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            let configuration = try options.shared.configuration()
            guard let source = try MasterKeySource.find(for: configuration) else {
                throw ConfigurationError("database", "a database in memory has no master keys")
            }
            let existing = try source.read()
            try checkIsStopped(configuration)
            try confirmation.ask(
                "All users must sign in again, and secrets of routes that cannot be opened are removed.",
                ifNot: "Nothing was changed.")
            if existing == nil {
                guard case .file(let file) = source else { throw source.isMissing }
                _ = try file.create(environment: .live)
            }
            try await configuration.withAssembly(keys: .replacing, opening: .existing) { assembly in
                let service = assembly.service
                let lost = try await service.store.sealingKeyIDs().subtracting(try source.read()?.map(\.id) ?? [])
                guard existing == nil || !lost.isEmpty else {
                    throw ConfigurationError(
                        "master keys", "\(source.name) has all keys of this database. Nothing was changed")
                }
                let replaced = try await service.signingKeys.replaceUnreadable()
                let sweep = SessionSweep(store: service.store, environment: service.environment)
                var sessions = 0
                for app in try await service.apps.apps() {
                    sessions += try await sweep.endAllSessions(of: app.id).sessions
                }
                try options.show([
                    ("key file", .text(source.name)), ("lost master keys", .list(lost.sorted())),
                    ("replaced signing keys", .number(replaced.keys)), ("revoked sessions", .number(sessions)),
                    ("apps without their routes", .list(replaced.appsWithoutRoutes.map(\.rawValue), none: "none")),
                ])
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
