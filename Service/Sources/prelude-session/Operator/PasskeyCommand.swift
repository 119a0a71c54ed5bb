import ArgumentParser
import Foundation
import SessionDomain
import SessionEgress
import SessionTokens
import SessionWire

/// `prelude-session passkey`: checks what apps of Apple and Android need for passkeys.
struct PasskeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passkey", abstract: "Check the files that apps of Apple and Android need for passkeys.",
        subcommands: [Check.self])

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Check that the host of the RP ID serves the files that name your apps.",
            discussion: """
                Fetches https://RP_ID/.well-known/apple-app-site-association if config/passkey has apps of Apple, and \
                https://RP_ID/.well-known/assetlinks.json if it has apps of Android. Follows no redirect, as Apple and \
                Google do not. A problem is a warning; Apple can show an older file for up to a day.
                """)

        @Option(help: "The app's id. (default: all apps)") var app: AppID?
        @OptionGroup var outbound: OutboundOptions
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            var apps: [App] = []
            try await options.withService(of: app) { service in
                apps = try await service.apps.apps().filter { app == nil || $0.id == app }
            }
            let files = apps.flatMap(AssociationFile.files)
            guard !files.isEmpty || options.json else {
                return print("No app of Apple or Android uses passkeys, so there is no file to check.")
            }
            let egress = try options.shared.configuration(outbound.flags).makeEgressClient()
            var records: [Record] = []
            for file in files {
                let warnings = await file.warnings(by: egress)
                records.append([
                    ("app", .text(file.app.rawValue)), ("file", .text(file.url)),
                    ("warnings", .list(warnings, between: "; ", none: "none")),
                ])
            }
            await egress.shutdown()
            try options.show(records)
        }
    }
}

/// A file at the host of an RP ID that names the apps of Apple or of Android that may use its passkeys.
struct AssociationFile {
    /// Seconds for a file.
    private static let timeout = 5
    /// Apple reads no larger file.
    private static let maximumSize = 128 * 1024

    let app: AppID
    let url: String
    /// Returns the apps of the settings that a file does not name.
    private let missing: (Data) throws -> [String]

    /// The files that the settings of an app need.
    static func files(of app: App) -> [AssociationFile] {
        guard let config = app.passkeys else { return [] }
        func file(_ path: FrontendPath, _ missing: @escaping (Data) throws -> [String]) -> AssociationFile {
            AssociationFile(app: app.id, url: "https://\(config.relyingPartyID)\(path.rawValue)", missing: missing)
        }
        let apple = file(.appleAppSiteAssociation) { data in
            let named = try TokenJSON.decode(AppleAssociation.self, from: data).webcredentials?.apps ?? []
            return config.iosAppIDs.filter { !named.contains($0) }
        }
        let android = file(.assetLinks) { data in
            let links = try TokenJSON.decode([AssetLink].self, from: data)
            return config.androidApps.filter { line in
                AndroidApp(line).map { app in !links.contains { $0.names(app) } } ?? false
            }
        }
        return (config.iosAppIDs.isEmpty ? [] : [apple]) + (config.androidApps.isEmpty ? [] : [android])
    }

    /// Fetches the file.
    ///
    /// - Returns: What is wrong with it, with the remedy. Empty if nothing is.
    func warnings(by egress: any Egress) async -> [String] {
        var request = EgressRequest(.get, url, timeout: Self.timeout, maximumAnswer: Self.maximumSize)
        request.continuesTrace = false
        do throws(EgressError) {
            return warnings(of: try await egress.send(request))
        } catch {
            return ["is not reachable: \(error.summary)"]
        }
    }

    func warnings(of answer: EgressAnswer) -> [String] {
        switch answer.status {
        case 200: break
        case 300..<400:
            return ["redirects (status \(answer.status)), and redirects are not followed: serve the file at this URL"]
        default:
            return [
                "has the status \(answer.status): serve the file at this URL, or pass the request on to this service"
            ]
        }
        let type = answer.contentType?.prefix { $0 != ";" }.lowercased()
        let wrongType =
            type == "application/json"
            ? [] : ["has the content type \(answer.contentType ?? "none"): send application/json"]
        do {
            return wrongType + (try missing(answer.body).map { "does not name the app \($0): add it to the file" })
        } catch {
            return wrongType + ["is not JSON as Apple and Google define this file"]
        }
    }
}

/// What is read of `apple-app-site-association`.
private struct AppleAssociation: Decodable {
    struct Apps: Decodable { let apps: [String]? }
    let webcredentials: Apps?
}

/// What is read of an entry of `assetlinks.json`.
private struct AssetLink: Decodable {
    struct Target: Decodable {
        let package: String?
        let fingerprints: [String]?

        private enum CodingKeys: String, CodingKey {
            case package = "package_name"
            case fingerprints = "sha256_cert_fingerprints"
        }
    }

    let relation: [String]?
    let target: Target?

    /// Whether the entry lets an app use the passkeys.
    func names(_ app: AndroidApp) -> Bool {
        relation?.contains("delegate_permission/common.get_login_creds") == true && target?.package == app.package
            && target?.fingerprints?.contains { $0.uppercased() == app.fingerprint } == true
    }
}
