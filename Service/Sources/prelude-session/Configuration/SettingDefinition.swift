import ArgumentParser
import Logging
import SessionDomain
import SessionHTTP
import SessionTelemetry

/// What is said about a setting of the program, once: the reader of flags, environment and file, the help of `serve` and
/// `check`, and the table of docs/operating.md have it from here.
struct SettingDefinition: Sendable {
    enum Values: Sendable {
        /// - Parameter default: `nil`: without the setting, something else than a value of it holds.
        case text(default: String?)
        case number(ClosedRange<Int>, default: Int?)
        case words([String], default: String)
        /// Off, or on.
        case flag
        /// Texts, with commas between them where a source has one text.
        case list
    }

    let values: Values
    /// One sentence without its full stop.
    let meaning: String
    /// What holds without the setting, if no value of it is the default.
    let otherwise: String?
    /// What to read about it, as a link of docs/operating.md.
    let page: String?

    init(_ values: Values, _ meaning: String, otherwise: String? = nil, page: String? = nil) {
        (self.values, self.meaning, self.otherwise, self.page) = (values, meaning, otherwise, page)
    }

    /// The default, as a source writes it.
    var standard: String? {
        switch values {
        case .text(let text): text
        case .number(_, let number): number.map { "\($0)" }
        case .words(_, let word): word
        case .flag, .list: nil
        }
    }

    /// The default of a number. `nil`: none.
    var number: Int? { if case .number(_, let number) = values { number } else { nil } }

    /// The row of the table in docs/operating.md.
    func row(of key: ServiceConfiguration.Key) -> String {
        var meaning = meaning
        if case .number(let range, _) = values { meaning += " (\(range.lowerBound) to \(range.upperBound))" }
        if let page { meaning += "; see \(page)" }
        let without = if case .flag = values { "off" } else { otherwise ?? "none" }
        return "| `\(key.rawValue)` | \(standard.map { "`\($0)`" } ?? without) | \(meaning) |"
    }
}

extension ServiceConfiguration {
    /// The names of the settings in the file. In the environment: `PRELUDE_SESSION_` and the name in upper snake case.
    enum Key: String, CaseIterable {
        case host, port, database, keyFile, publicUrl, defaultApp, trustedProxies, clientAddressHeader, countryHeader
        case development, allowPublicDevelopment, egressNetworks, egressTrustRoots, managementKey
        case managementKeyFile, databasePasswordFile, logLevel, logFormat
        case otlpEndpoint, otlpRatio, otlpFollowProxies, keyRotationDays, keyPublishAhead
        case managementHost, managementPort, connectionLimit, headerTimeout, bodyTimeout, idleTimeout
        case requestLimit, wrongKeyLimit, drainDelay, tlsCertificate, tlsKey
        case emailRoute, emailHost, emailPort, emailTls, emailAuth, emailUsername, emailSecret, emailSecretFile
        case emailUrl, emailFrom, emailSenderDomains
        case emailFallbackRoute, emailFallbackHost, emailFallbackPort, emailFallbackTls, emailFallbackAuth
        case emailFallbackUsername, emailFallbackSecret, emailFallbackSecretFile, emailFallbackUrl, emailFallbackFrom
        case smsRoute, smsAccount, smsUsername, smsSecret, smsSecretFile, smsUrl, smsFrom
        case smsFallbackRoute, smsFallbackAccount, smsFallbackUsername, smsFallbackSecret, smsFallbackSecretFile
        case smsFallbackUrl, smsFallbackFrom

        /// The name on the command line, without `--`. A flag of a list is repeated, so its name is singular.
        var flag: String {
            switch self {
            case .trustedProxies: "trusted-proxy"
            case .egressNetworks: "egress-network"
            default: words.joined(separator: "-")
            }
        }

        /// Whether it is a setting of a route for messages. docs/delivery.md has these.
        var isOfRoute: Bool { rawValue.hasPrefix("email") || rawValue.hasPrefix("sms") }

        /// Whether `serve` has the flag. Arguments of a process can be read by others, so secrets have none.
        var hasFlag: Bool {
            ![.managementKey, .managementKeyFile, .databasePasswordFile].contains(self) && !isOfRoute
        }

        /// The name in the environment.
        var variable: String { EnvironmentVariables.prefix + words.joined(separator: "_").uppercased() }

        private var words: [String] {
            rawValue.reduce(into: [""]) { words, character in
                if character.isUppercase { words.append("") }
                words[words.count - 1] += character.lowercased()
            }
        }

        /// Whether the value must not appear in logs.
        var isSecret: Bool { self == .managementKey || rawValue.hasSuffix("Secret") }

        var isList: Bool { if case .list = definition.values { true } else { false } }
    }
}

extension ServiceConfiguration.Key {
    var definition: SettingDefinition {
        let limits = ConnectionLimits()
        return switch self {
        case .host: .init(.text(default: "127.0.0.1"), "The address to listen on")
        case .port: .init(.number(1...65535, default: 8080), "The port to listen on")
        case .managementHost:
            .init(.text(default: "127.0.0.1"), "The address of the management API, if it has a port of its own")
        case .managementPort:
            .init(
                .number(1...65535, default: nil),
                "A port for the management API alone: the other port then serves apps only",
                otherwise: "one port for both")
        case .connectionLimit:
            .init(
                .number(1...1_000_000, default: limits.connections), "Connections that are served at the same time")
        case .headerTimeout:
            .init(
                .number(1...600, default: limits.headerTimeout),
                "Seconds in which the headers of a request must arrive")
        case .bodyTimeout:
            .init(.number(1...600, default: limits.bodyTimeout), "Seconds in which the body of a request must arrive")
        case .idleTimeout:
            .init(
                .number(1...3600, default: limits.idleTimeout),
                "Seconds after which a connection without a request is closed")
        case .requestLimit:
            .init(
                .number(16...100_000, default: ConnectionLimits.requests),
                "Requests that the service works on at the same time; further ones get 503, the least urgent first")
        case .wrongKeyLimit:
            .init(
                .number(1...1_000_000, default: ManagementKeys.wrongKeys),
                "Wrong management keys that one address may send in ten minutes; a valid key is never refused")
        case .drainDelay:
            .init(
                .number(0...300, default: 0),
                "Seconds that the service goes on after SIGTERM, with 503 at /readyz, so that load balancers send "
                    + "requests elsewhere")
        case .tlsCertificate:
            .init(
                .text(default: nil), "A PEM file with the certificate chain for TLS, with a file for the key",
                otherwise: "plain HTTP")
        case .tlsKey: .init(.text(default: nil), "A PEM file with the private key of the certificate")
        case .database:
            .init(
                .text(default: "sqlite:prelude-session.sqlite"),
                "sqlite:PATH, postgresql://USER@HOST:PORT/DATABASE, or sqlite::memory: for serve",
                page: "[PostgreSQL](operating/postgresql.md)")
        case .databasePasswordFile:
            .init(.text(default: nil), "A file with the password for PostgreSQL, and nothing else; it has no flag")
        case .keyFile:
            .init(
                .text(default: nil),
                "The file with the master keys, created with the database; back it up with the database",
                otherwise: "the path of an embedded database with .keys",
                page: "[master keys](operating/keys.md#master-keys)")
        case .managementKey:
            .init(
                .list, "Keys of the management API that are valid for every app; no flag",
                page: "[management keys](operating/keys.md#management-keys)")
        case .managementKeyFile:
            .init(.text(default: nil), "A file with these keys instead, one in a line; it has no flag")
        case .publicUrl:
            .init(
                .text(default: nil),
                "The origin at which apps reach the service, such as https://{app_id}.session.example.com",
                otherwise: "none; in development: localhost")
        case .defaultApp:
            .init(
                .text(default: nil), "The id of the app for hosts that name no app",
                otherwise: "none; in development: devapp1")
        case .trustedProxies:
            .init(
                .list, "The addresses or networks of proxies whose forwarding headers are trusted",
                page: "[the address of the client](proxies.md#the-address-of-the-client)")
        case .clientAddressHeader:
            .init(
                .text(default: "X-Forwarded-For"),
                "The header in which a trusted proxy sends the caller's address: X-Forwarded-For, Forwarded, or one "
                    + "with a single address, such as X-Real-IP; no other one is read")
        case .countryHeader:
            .init(.text(default: nil), "The header in which a trusted proxy sends the caller's country")
        case .egressNetworks:
            .init(
                .list, "Private networks that hooks, webhooks, mail servers and gateways may be in, such as 10.0.0.0/8",
                otherwise: "none; in development: loopback")
        case .egressTrustRoots:
            .init(
                .text(default: nil),
                "A PEM file with authorities that outbound https and mail trust in addition to the system's")
        case .keyRotationDays:
            .init(
                .number(0...3650, default: KeyRotationPolicy.standardInterval / 86_400),
                "Days after which a signing key gets a successor; 0 for never")
        case .keyPublishAhead:
            .init(
                .number(AppDirectory.lifetime + 1...86_400, default: KeyRotationPolicy.safePublishAhead),
                "Seconds that a new signing key is published before it signs; less than "
                    + "\(KeyRotationPolicy.safePublishAhead) only in development")
        case .logLevel:
            .init(
                .words(Logger.Level.allCases.map(\.rawValue), default: Logger.Level.info.rawValue),
                "The log level: trace, debug, info, notice, warning, error or critical; it can be changed at run time",
                page: "[the log](observability.md#the-log)")
        case .logFormat:
            .init(
                .words(LogFormat.allCases.map(\.rawValue), default: LogFormat.text.rawValue),
                "The form of the log: text, or json with one object per line")
        case .otlpEndpoint:
            .init(
                .text(default: nil), "The base URL of a collector for traces, such as http://127.0.0.1:4318",
                otherwise: "no traces", page: "[traces](observability.md#traces)")
        case .otlpRatio: .init(.text(default: "1"), "The part of traces that are recorded, from 0 to 1")
        case .otlpFollowProxies:
            .init(.flag, "Record what trusted proxies record: they replace the traceparent of their clients")
        case .development:
            .init(
                .flag,
                "Development mode: an app with all logins on; codes are shown at /dev, and sent where routes are "
                    + "configured")
        case .allowPublicDevelopment:
            .init(.flag, "Let development mode listen on an address that other machines can reach")
        case .emailSenderDomains: .init(.list, "")
        case .emailPort, .emailFallbackPort: .init(.number(1...65535, default: nil), "")
        default: .init(.text(default: nil), "")
        }
    }
}

extension ArgumentHelp {
    /// - Parameter sources: What is asked before the default, in words.
    init(_ key: ServiceConfiguration.Key, sources: String = "") {
        let definition = key.definition
        let standard = definition.standard ?? definition.otherwise
        let text = definition.meaning + "." + (key.isList ? " Can be repeated." : "")
        self.init("\(text)" + (standard.map { " (default: \(sources)\($0))" } ?? ""))
    }
}

extension Option {
    /// The flag of a setting.
    init(_ key: ServiceConfiguration.Key, sources: String = "", completion: CompletionKind? = nil)
    where Value == String? {
        var completion = completion
        if case .words(let words, _) = key.definition.values { completion = .list(words) }
        self.init(
            name: .customLong(key.flag), help: ArgumentHelp(key, sources: sources), completion: completion)
    }

    init(wrappedValue: [String], _ key: ServiceConfiguration.Key) where Value == [String] {
        self.init(wrappedValue: wrappedValue, name: .customLong(key.flag), help: ArgumentHelp(key))
    }
}

extension Flag where Value == Bool {
    /// The flag of a setting.
    init(wrappedValue: Bool, _ key: ServiceConfiguration.Key) {
        self.init(wrappedValue: wrappedValue, name: .customLong(key.flag), help: ArgumentHelp(key))
    }
}
