import ArgumentParser
import Foundation
import SessionDomain

extension StoredSigningKey.Purpose: ExpressibleByArgument {}

extension KeyCommand {
    /// `prelude-session key rotate`: successors for signing keys. The service may run meanwhile.
    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give signing keys a successor.",
            discussion: """
                The new key is published at once and signs when every verifier can know it, so that no verification \
                fails. Asking again while one waits for its turn changes nothing. With --emergency the new key signs at \
                once, and the old ones are gone: whatever they signed is refused, and verifiers refuse new tokens until \
                they have fetched the key set again.
                """)

        @Option(help: "The app. (default: every app)")
        var app: AppID?

        @Option(help: "access, challenge or hook. (default: all of them)")
        var purpose: StoredSigningKey.Purpose?

        @Flag(help: "A key has leaked: take the keys of the app out of use now. Needs --app.")
        var emergency = false

        @Option(
            help: """
                Seconds for which the new key is published before it signs, as the service has it. (else \
                $PRELUDE_SESSION_KEY_PUBLISH_AHEAD, else the file's; default: 395)
                """)
        var keyPublishAhead: String?

        @Flag(help: "Let --key-publish-ahead be less than what is safe, as the service does in development.")
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
                var records: [[(name: String, value: String)]] = []
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

    /// `prelude-session key signing`: the signing keys, without their private halves.
    struct Signing: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the signing keys of apps.")

        @Option(help: "The app. (default: every app)")
        var app: AppID?

        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService { service in
                let apps =
                    if let app { [try await service.apps.app(app).id] } else { try await service.apps.apps().map(\.id) }
                var records: [[(name: String, value: String)]] = []
                for app in apps {
                    records += try await service.signingKeys.all(of: app).map { $0.key.record($0.state) }
                }
                try options.show(records)
            }
        }
    }

    /// `prelude-session key reseal`: another master key for the private keys in the database.
    struct Reseal: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Seal all signing keys under the current master key.",
            discussion: """
                The current master key is the first one. Nobody notices the change in this order: put the new key \
                behind the old one wherever the service runs, and restart; put it first, and restart; reseal; take \
                the old one away. A process that lacks the key goes on with the signing keys that it has opened, takes \
                no new ones, and cannot start again.

                Refresh tokens carry the mark of the master key under which they were made, so keep the older one until \
                idle sessions have ended, or their users sign in again.
                """)

        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            try await options.withService { service in
                try options.show([("resealed", String(try await service.signingKeys.reseal()))])
                // Beside the answer, which programs read.
                let told = """
                    All signing keys are sealed under the master key \(service.signingKeys.masterKeyID). Processes of the \
                    service that were started without it go on with the keys that they have opened: give it to them, and \
                    restart them, before you rotate keys or take the older master key away.

                    """
                FileHandle.standardError.write(Data(told.utf8))
            }
        }
    }
}

extension StoredSigningKey {
    fileprivate func record(_ state: KeySchedule.State) -> [(name: String, value: String)] {
        [
            ("app", appID.rawValue), ("purpose", purpose.rawValue), ("key_id", keyID),
            ("algorithm", algorithm.rawValue),
            ("state", state.rawValue), ("created", createdAt.rfc3339), ("active from", activeFrom.rfc3339),
            ("retires", retiresAt?.rfc3339 ?? "–"), ("removed after", removeAfter?.rfc3339 ?? "–"),
        ]
    }
}
