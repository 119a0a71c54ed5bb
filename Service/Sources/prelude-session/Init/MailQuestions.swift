import SessionDomain

/// Asks for the server that sends mail.
struct MailQuestions {
    let options: DeliveryOptions

    /// The settings for mail, or `nil` if the service sends none.
    func settings(asking interview: inout Interview, _ networks: inout OwnNetworks) throws -> [DeliverySetting]? {
        let choice = options.noEmail ? false : options.emailHost.map { _ in true }
        guard try interview.isWanted(choice, flags: "--email-host or --no-email", "Send codes by mail?") else {
            return nil
        }
        let host = try interview.answer("--email-host", options.emailHost, "Mail server") {
            try RouteAnswer.checked($0, as: .host, of: .smtp)
        }
        if !host.isEmpty {
            try networks.allow(
                "--email-host", "https://\(host.contains(":") ? "[\(host)]" : host)",
                suggestion: IPNetwork.isAddress(host) ? host : nil, asking: &interview)
        }
        // The port comes first: it says how TLS begins (RFC 8314 §3.3).
        let usualPort = options.emailTLS?.lowercased() == "implicit" ? "465" : "587"
        let port = try interview.answer(
            "--email-port", options.emailPort ?? interview.offTerminal(usualPort), "Port", suggestion: usualPort,
            check: RouteAnswer.port)
        let usualTLS = port == "465" ? "implicit" : "starttls"
        let tls = try interview.answer(
            "--email-tls", options.emailTLS ?? interview.offTerminal(usualTLS), "TLS: starttls or implicit",
            suggestion: usualTLS
        ) { text in
            let tls = try RouteAnswer.one(of: RouteSettings.TLSMode.self, text)
            let route = RouteSettings(kind: .smtp, port: Int(port), tls: tls)
            if let problem = route.problems(for: .email, hasSecret: false).first(where: { $0.field == .tls }) {
                throw problem
            }
            return tls.rawValue
        }
        let from = try interview.answer("--email-from", options.emailFrom, "Sender, such as login@example.com") {
            try RouteAnswer.checked($0, as: .from, of: .smtp)
        }
        let settings: [DeliverySetting] = [
            (.emailRoute, "smtp"), (.emailHost, host), (.emailPort, port), (.emailTls, tls), (.emailFrom, from),
        ]
        return settings + (try account(asking: &interview))
    }

    private func account(asking interview: inout Interview) throws -> [DeliverySetting] {
        let username = try interview.answer(
            "--email-username", options.emailUsername ?? interview.offTerminal("none"), "User name", suggestion: "none"
        ) { try RouteAnswer.checked($0, as: .username, of: .smtp) }
        guard username != "none" else {
            guard options.emailSecretFile == nil else {
                throw ConfigurationError("--email-secret-file", "needs --email-username")
            }
            return []
        }
        let file = try interview.answer(
            "--email-secret-file", options.emailSecretFile, "File that contains the password",
            check: RouteAnswer.secretFile)
        return [(.emailUsername, username), (.emailSecretFile, file)]
    }
}

extension Interview {
    /// The default of a value that is not required, where it cannot be asked for.
    fileprivate func offTerminal(_ value: String) -> String? { isOnTerminal ? nil : value }
}
