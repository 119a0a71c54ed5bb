import Foundation
import SessionDomain
import SessionEgress
import SessionSQLite
import SessionTokens

/// The settings of a new service, and the text of its settings file.
struct NewSettings {
    var publicURL: String
    /// The absolute path of the database.
    var database: String
    var host: String
    var port: String
    var trustedProxies: [String]
    /// Private networks that the service may call.
    var egressNetworks: [String] = []
    /// The app for all hosts, if the public URL does not name one.
    var defaultApp: String?
    /// `nil`: the service sends no mail.
    var mail: [DeliverySetting]?
    /// `nil`: the service sends no SMS.
    var sms: [DeliverySetting]?

    /// The same settings as flags. The default app is missing: it does not exist yet.
    var flags: [ServiceConfiguration.Key: String] {
        var flags: [ServiceConfiguration.Key: String] = [
            .publicUrl: publicURL, .database: "sqlite:\(database)", .host: host, .port: port,
            .trustedProxies: trustedProxies.joined(separator: ","),
        ]
        if !egressNetworks.isEmpty { flags[.egressNetworks] = egressNetworks.joined(separator: ",") }
        for (name, value) in (mail ?? []) + (sms ?? []) { flags[name] = value }
        return flags
    }

    /// The settings file: JSON with comments.
    func text(path: String) throws -> String {
        """
        // Settings of prelude-session. Lines that begin with // are comments.
        // After a change: prelude-session check --config \(path)
        // Then restart the service. All settings are in docs/operating.md.
        {
            // The origin at which apps reach the service. {app_id} stands for the id of an app.
            "publicUrl": \(try json(publicURL)),
        \(try defaultAppText)
            // The database. The master keys are beside it, in the file with the suffix .keys: back up both.
            "database": \(try json("sqlite:\(database)")),

            // Where the service listens. A proxy in front of it does TLS.
            "host": \(try json(host)),
            "port": \(port),

            // Proxies whose X-Forwarded-For and X-Forwarded-Host are trusted. clientAddressHeader names another header
            // for the address of the client.
            "trustedProxies": [\(try trustedProxies.map(json).joined(separator: ", "))],

            // Private networks with servers that the service calls, for hooks, webhooks, mail and SMS.
        \(try networksText)

            // Mail. The password is in a file that only the service's user can read.
        \(try lines(mail, else: ["\"emailRoute\": \"smtp\"", "\"emailHost\": \"smtp.example.com\"", "\"emailFrom\": \"login@example.com\""]))

            // SMS.
        \(try lines(sms, else: ["\"smsRoute\": \"twilio\""]))

            // A port for the management API alone.
            // "managementPort": 8081,
        }

        """
    }

    private var defaultAppText: String {
        get throws {
            guard let defaultApp else { return "" }
            return """

                    // The app that the public URL belongs to, because it has no {app_id}.
                    "defaultApp": \(try json(defaultApp)),

                """
        }
    }

    private var networksText: String {
        get throws {
            guard !egressNetworks.isEmpty else { return "    // \"egressNetworks\": [\"10.1.2.3\"]," }
            return "    \"egressNetworks\": [\(try egressNetworks.map(json).joined(separator: ", "))],"
        }
    }

    /// One line for each setting, or examples as comments.
    private func lines(_ settings: [DeliverySetting]?, else examples: [String]) throws -> String {
        guard let settings else { return examples.map { "    // \($0)," }.joined(separator: "\n") }
        return try settings.map { name, value in
            "    \"\(name.rawValue)\": \(name == .emailPort ? value : try json(value)),"
        }
        .joined(separator: "\n")
    }

    private func json(_ text: String) throws -> String {
        String(decoding: try TokenJSON.encode(text), as: UTF8.self)
    }
}

/// A settings file that appears complete, and never replaces another file.
struct NewSettingsFile {
    let path: String

    private var partial: String { "\(path).new-\(getpid())" }

    /// - Throws: `ValidationProblem` if there is a file, or no folder for it.
    func checkIsNew() throws {
        guard !DatabaseFile.exists(at: path) else { throw ValidationProblem(exists) }
        if let problem = WritableFolder(of: path).problem { throw ValidationProblem(problem) }
    }

    /// Checks that this user can create files beside the path.
    func checkFolder() throws {
        try naming {
            try DurableFile.remove(partial)
            try DurableFile.create(partial, Data())
            try DurableFile.remove(partial)
        }
    }

    /// Creates the file with mode 0600. As root, it belongs to the owner of the folder.
    func create(_ text: String) throws {
        try naming {
            try DurableFile.remove(partial)
            try DurableFile.create(partial, Data(text.utf8), owner: FileOwner(beside: path))
            defer { try? DurableFile.remove(partial) }
            // Unlike a rename, a second name never replaces a file.
            do {
                try DurableFile.link(partial, as: path)
            } catch {
                throw DatabaseFile.exists(at: path) ? ConfigurationError("--config", exists) : error
            }
            try DurableFile.sync((path as NSString).deletingLastPathComponent)
        }
    }

    /// Names the flag in errors of the file system.
    private func naming(_ work: () throws -> Void) throws {
        do {
            try work()
        } catch StoreError.unavailable(let reason) {
            throw ConfigurationError("--config", reason)
        }
    }

    private var exists: String {
        "\(path) exists already, and is not overwritten. Name another file, or move this one"
    }
}

/// The private networks of the operator that a new service may call.
struct OwnNetworks {
    private(set) var texts: [String]

    /// Adds the network of a server that would be rejected, as the operator answers.
    ///
    /// - Parameters:
    ///   - flag: The flag that names the server.
    ///   - url: A URL with the host of the server.
    ///   - suggestion: The network for an empty line.
    /// - Throws: `ConfigurationError` without a terminal.
    mutating func allow(_ flag: String, _ url: String, suggestion: String?, asking interview: inout Interview) throws {
        while let problem = problem(with: url) {
            guard interview.isOnTerminal else { throw ConfigurationError(flag, problem) }
            let network = try interview.answer(
                "--egress-network", nil, "Its address is private. Network that the service may call",
                suggestion: suggestion
            ) { text in
                guard IPNetwork(text) != nil else {
                    throw ValidationProblem("must be an address or a network, such as 10.1.2.3 or 10.0.0.0/8")
                }
                return text
            }
            texts.append(network)
        }
    }

    private func problem(with url: String) -> String? {
        do {
            try EgressPolicy(allowedNetworks: texts.compactMap { IPNetwork($0) }).validate(url: url)
            return nil
        } catch {
            return Self.problem(error)
        }
    }

    /// What is wrong with a host or URL of the configuration, with the remedy.
    static func problem(_ error: EgressError) -> String {
        guard case .refusedAddress = error else { return error.summary }
        return error.summary + ". If the server is yours, allow its network with --egress-network (egressNetworks)"
    }
}
