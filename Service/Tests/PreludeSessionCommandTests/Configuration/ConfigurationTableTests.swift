import Foundation
import SessionDomain
import Testing

@testable import prelude_session

/// The checks of `serve` and `check`, without a service. They read a settings file, and no other file.
@Suite("Configuration")
struct ConfigurationTableTests {
    typealias Key = ServiceConfiguration.Key

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var file = "{}"
        var environment: [String: String] = [:]
        var flags: [Key: String] = [:]
        /// The errors, each as a part of it. `FILE` is the path of the settings file.
        let errors: [String]
    }

    static let valid = #""publicUrl": "https://{app_id}.example.com", "database": "sqlite::memory:""#

    static let rows = [
        Row(testDescription: "a valid file", file: "{\(valid)}", errors: []),
        Row(
            testDescription: "a placeholder without underscore",
            file: "{\n\"database\": \"sqlite::memory:\",\n\"publicUrl\": \"https://{appid}.example.com\"}",
            errors: ["FILE:3: publicUrl: contains {appid}. Write {app_id}"]),
        Row(
            testDescription: "an unknown name in the file", file: "{\(valid),\n\"trustedProxy\": \"10.0.0.1\"}",
            errors: ["FILE:2: trustedProxy: is an unknown setting. Did you mean trustedProxies?"]),
        Row(
            testDescription: "an unknown name that resembles none", file: "{\(valid), \"tls\": true}",
            errors: ["FILE:1: tls: is an unknown setting. Remove it"]),
        Row(
            testDescription: "an unknown variable", file: "{\(valid)}",
            environment: ["PRELUDE_SESSION_TRUSTED_PROXY": "10.0.0.1"],
            errors: ["PRELUDE_SESSION_TRUSTED_PROXY: is not a setting. Did you mean PRELUDE_SESSION_TRUSTED_PROXIES?"]),
        Row(
            testDescription: "unknown variables that resemble no setting, or one with a secret", file: "{\(valid)}",
            environment: [
                "PRELUDE_SESSION_FOO": "x", "PRELUDE_SESSION_EMAIL_PASSWORD": "x", "PRELUDE_SESSION_TLS": "x",
                "PRELUDE_SESSION_EMAIL_USER": "x",
            ],
            errors: [
                "PRELUDE_SESSION_EMAIL_PASSWORD: is not a setting. Did you mean PRELUDE_SESSION_EMAIL_SECRET?",
                "PRELUDE_SESSION_EMAIL_USER: is not a setting. Did you mean PRELUDE_SESSION_EMAIL_USERNAME?",
                "PRELUDE_SESSION_FOO: is not a setting. Remove it",
                "PRELUDE_SESSION_TLS: is not a setting. Remove it",
            ]),
        Row(
            testDescription: "variables of the scripts and of other programs", file: "{\(valid)}",
            environment: ["PRELUDE_SESSION_STORE": "1", "PRELUDE_SESSION_EXPLORE": "12", "PRELUDE": "x"], errors: []),
        Row(
            testDescription: "a header name with a space", file: "{\(valid), \"countryHeader\": \"CF IPCountry\"}",
            errors: ["FILE:1: countryHeader: \"CF IPCountry\" is not the name of a header"]),
        Row(
            testDescription: "a header name with a colon", file: "{\(valid)}", flags: [.countryHeader: "X-Country:"],
            errors: ["--country-header: \"X-Country:\" is not the name of a header"]),
        Row(
            testDescription: "a header that clients set", file: "{\(valid), \"countryHeader\": \"Authorization\"}",
            errors: ["FILE:1: countryHeader: Authorization is a header that clients set for another purpose"]),
        Row(
            testDescription: "a home directory that no shell has replaced",
            flags: [.publicUrl: "https://a.example.com", .database: "sqlite:~/session.sqlite"],
            errors: ["--database: must not begin with ~"]),
        Row(
            testDescription: "everything at once",
            file: "{\(valid),\n\"port\": 0,\n\"port\": 1,\n\"development\": \"perhaps\",\n\"logLevel\": \"loud\"}",
            environment: ["PRELUDE_SESSION_IDLE_TIMEOUT": "1h", "PRELUDE_SESSION_DEFAULT_APP": "Shop"],
            flags: [.trustedProxies: "10.0.0.0/33,::1,proxy"],
            errors: [
                "FILE:3: port: is also in line 2", "FILE:2: port: must be a number from 1 to 65535, not \"0\"",
                "FILE:4: development: must be true or false, not \"perhaps\"",
                "FILE:5: logLevel: must be trace, debug,", "PRELUDE_SESSION_DEFAULT_APP: must be an app id",
                "--trusted-proxy: \"10.0.0.0/33\" is not an address", "--trusted-proxy: \"proxy\" is not an address",
                "PRELUDE_SESSION_IDLE_TIMEOUT: must be a number from 1 to 3600, not \"1h\"",
            ]),
        Row(
            testDescription: "no public URL", file: "{\"database\": \"sqlite::memory:\"}",
            errors: ["public-url: is required"]),
        Row(
            testDescription: "http outside development mode",
            environment: [
                "PRELUDE_SESSION_PUBLIC_URL": "http://a.example.com", "PRELUDE_SESSION_DATABASE": "sqlite::memory:",
            ],
            errors: ["PRELUDE_SESSION_PUBLIC_URL: must begin with https://"]),
        Row(
            testDescription: "a value of another type", file: "{\(valid), \"host\": [\"a\"]}",
            errors: ["FILE:1: host: must be a string, a number, true or false"]),
        Row(
            testDescription: "a file that is not JSON", file: "{\(valid)\n\"port\": 1}",
            flags: [.publicUrl: "https://a.example.com", .database: "sqlite::memory:"],
            errors: ["FILE:2: config: a comma is missing before this line"]),
        Row(
            testDescription: "nothing follows from a file that cannot be read", file: "{\"publicUrl\"",
            errors: ["FILE:1: config: a colon must follow"]),
        Row(
            testDescription: "a name with control characters", file: "{\(valid), \"a\\u001b[2J\\n\": 1}",
            errors: ["FILE:1: a\\u{1B}[2J\\n: is an unknown setting"]),
        Row(
            testDescription: "a byte order mark", file: "\u{FEFF}{\(valid)}", errors: []),
        Row(
            testDescription: "a host that does not exist", file: "{\(valid), \"host\": \"a..b\"}",
            errors: ["FILE:1: host: the name \"a..b\" cannot be resolved"]),
        Row(
            testDescription: "a public address in development mode",
            file: "{\(valid), \"host\": \"0.0.0.0\", \"development\": true}",
            errors: ["FILE:1: host: other machines can reach 0.0.0.0"]),
        Row(
            testDescription: "a public address of the management API in development mode",
            flags: [.development: "true", .managementHost: "0.0.0.0", .managementPort: "8081"],
            errors: ["--management-host: other machines can reach 0.0.0.0"]),
        Row(
            testDescription: "no trust roots", file: "{\(valid), \"egressTrustRoots\": \"/nowhere.pem\"}",
            errors: ["FILE:1: egressTrustRoots: /nowhere.pem does not exist. Name a file"]),
        Row(
            testDescription: "traces", file: "{\(valid), \"otlpEndpoint\": \"http://127.0.0.1:4318\"}",
            flags: [.otlpRatio: "0.05"], errors: []),
        Row(
            testDescription: "a collector that is no URL, and a ratio above 1",
            file: "{\(valid), \"otlpEndpoint\": \"localhost:4318\"}", flags: [.otlpRatio: "2"],
            errors: [
                "FILE:1: otlpEndpoint: must be the base URL of a collector",
                "--otlp-ratio: must be a number from 0 to 1",
            ]),
        Row(
            testDescription: "a weak management key and a short publication",
            file: "{\(valid), \"managementKey\": \"a\"}",
            flags: [.keyPublishAhead: "60"],
            errors: ["--key-publish-ahead: must be at least 395", "FILE:1: managementKey: key 1 can be guessed"]),
        Row(
            testDescription: "a database in a folder that does not exist",
            flags: [.publicUrl: "https://a.example.com", .database: "sqlite:/nowhere/at/all/session.sqlite"],
            errors: ["--database: the folder /nowhere/at/all does not exist. Create it: install -d"]),
    ]

    // Proves: G8
    @Test(
        "Every error is reported, with its place and its remedy",
        arguments: rows + Row.delivery + Row.overriddenSecret + Row.kubernetes)
    func errors(_ row: Row) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json").path
        try Data(row.file.utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        var found: [String] = []
        do {
            _ = try ServiceConfiguration.loadForServing(flags: row.flags, file: path, environment: row.environment)
        } catch let error as InvalidConfiguration {
            found = error.errors.map { "\($0)".replacing(path, with: "FILE") }
        }
        try #require(found.count == row.errors.count, "\(found)")
        for (error, expected) in zip(found, row.errors) { #expect(error.hasPrefix(expected), "\(error)") }
    }

    @Test("A flag overrides the environment, and the environment overrides the file")
    func precedence() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json").path
        try Data("{\"port\": 1, \"host\": \"a\", \"countryHeader\": \"a\"}".utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let configuration = try ServiceConfiguration.load(
            flags: [.port: "3"], file: nil,
            environment: [
                "PRELUDE_SESSION_CONFIG": path, "PRELUDE_SESSION_PORT": "2", "PRELUDE_SESSION_HOST": "b",
            ])
        #expect(configuration.port == 3)
        #expect(configuration.host == "b")
        #expect(configuration.countryHeader.map { "\($0)" } == "a")
    }

    @Test("The origins of development mode have no port that is the default of their scheme")
    func defaultPorts() throws {
        func origin(_ flags: [Key: String]) throws -> String? {
            let app = App(id: try #require(AppID("devapp1")), name: "test", createdAt: Timestamp(milliseconds: 0))
            let all = flags.merging([.development: "true"]) { flag, _ in flag }
            return try ServiceConfiguration.load(flags: all, file: nil, environment: [:]).origins().origins(of: app)
                .first
        }
        #expect(try origin([.port: "80", .defaultApp: "devapp1"]) == "http://localhost")
        #expect(try origin([.port: "81", .defaultApp: "devapp1"]) == "http://localhost:81")
    }

    @Test("The page of the settings says what the program says")
    func page() throws {
        let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(5).joined(separator: "/")
        let page = try String(contentsOfFile: "\(root)/docs/operating.md", encoding: .utf8)
        let settings = Key.allCases.filter { !$0.isOfRoute }
        let rows = settings.map { $0.definition.row(of: $0) }.joined(separator: "\n")
        let table = "| setting | default | meaning |\n| --- | --- | --- |\n\(rows)\n"
        #expect(settings.count > 20)
        #expect(page.contains(table), "The table must be:\n\(table)")
    }

    @Test("Names in the environment and on the command line follow from the name in the file")
    func names() {
        #expect(Key.trustedProxies.variable == "PRELUDE_SESSION_TRUSTED_PROXIES")
        #expect(Key.trustedProxies.flag == "trusted-proxy")
        #expect(Key.publicUrl.variable == "PRELUDE_SESSION_PUBLIC_URL")
        #expect(Key.publicUrl.flag == "public-url")
        #expect(Key.emailSecretFile.variable == "PRELUDE_SESSION_EMAIL_SECRET_FILE")
        #expect(Key.emailSecretFile.flag == "email-secret-file")
    }
}
