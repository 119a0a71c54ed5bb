import SessionDomain

/// The routes of an app in a request. They replace all stored ones.
struct DeliveryConfigChangeBody: Decodable {
    let email: [Route]?
    let sms: [Route]?

    struct Route: Decodable {
        let type: String
        let host: String?
        let port: Int?
        let tls: String?
        let auth: String?
        let username: String?
        let account: String?
        let url: String?
        let from: String?
        /// Absent: the stored secret is kept.
        let secret: String?
    }

    func validated() throws(Refusal) -> DeliveryManagement.Replacement {
        var routes: [OTPLoginConfig.Channel: [DeliveryManagement.Replacement.Route]] = [:]
        for (channel, bodies) in [(OTPLoginConfig.Channel.email, email ?? []), (.sms, sms ?? [])] {
            for (index, body) in bodies.enumerated() {
                routes[channel, default: []].append(try body.validated(field: "\(channel.rawValue)[\(index)]"))
            }
        }
        return DeliveryManagement.Replacement(routes)
    }
}

extension DeliveryConfigChangeBody.Route {
    fileprivate func validated(field: String) throws(Refusal) -> DeliveryManagement.Replacement.Route {
        DeliveryManagement.Replacement.Route(
            settings: RouteSettings(
                kind: try value(type, "\(field).type"), host: host, port: port,
                tls: try tls.map { text throws(Refusal) in try value(text, "\(field).tls") },
                authentication: try auth.map { text throws(Refusal) in try value(text, "\(field).auth") },
                username: username, account: account, url: url, from: from),
            secret: secret)
    }

    private func value<Value: CaseIterable & RawRepresentable>(
        _ text: String, _ field: String
    ) throws(Refusal) -> Value where Value.RawValue == String {
        guard let value = Value(rawValue: text) else {
            let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidField(field, "must be one of \(names)")
        }
        return value
    }
}
