extension App {
    /// - Parameter apps: All apps, with or without this one.
    /// - Throws: `Refusal.conflict` if another app has one of the domains.
    func requireOwnDomains(beside apps: [App]) throws(Refusal) {
        let taken = Set(apps.filter { $0.id != id }.flatMap(\.domains))
        if let domain = domains.first(where: taken.contains) {
            throw .conflict("domains contains \(domain), which belongs to another app")
        }
    }
}
