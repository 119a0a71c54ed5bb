import ArgumentParser
import Foundation
import SessionDomain

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
