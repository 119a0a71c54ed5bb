extension Event.Name {
    /// The names of all events that the service writes.
    package static let all: [Event.Name] =
        Webhook.standardEvents + Webhook.furtherEvents + [
            .appCreated, .operatorCreated, .operatorUpdated, .operatorRemoved,
        ]

    /// The filters that select more than one name, such as `login.*`.
    package static let families: Set<String> = Set(
        all.flatMap { name in
            let parts = name.rawValue.split(separator: ".")
            return (1..<parts.count).map { parts.prefix($0).joined(separator: ".") + ".*" }
        })
}
