import Foundation

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
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return String(decoding: try encoder.encode(text), as: UTF8.self)
    }
}
