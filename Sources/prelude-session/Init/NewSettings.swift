import Foundation

/// The settings of a new service, and the text of its settings file.
@available(service, *)
struct NewSettings {
    var publicURL: String
    /// The absolute path of the database.
    var database: String
    var host: String
    var port: Int
    var trustedProxies: [String]
    /// The app for all hosts, if the public URL does not name one.
    var defaultApp: String?
    /// `nil`: the service sends no mail.
    var mail: [DeliverySetting]?
    /// `nil`: the service sends no SMS.
    var sms: [DeliverySetting]?

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

            // Proxies whose X-Forwarded-For and X-Forwarded-Host are trusted.
            "trustedProxies": [\(try trustedProxies.map(json).joined(separator: ", "))],

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
