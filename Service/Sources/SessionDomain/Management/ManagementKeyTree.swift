/// Which management keys created which.
package struct ManagementKeyTree {
    /// The ids of the keys that a key created, by its id.
    private let created: [String: [String]]

    package init(_ keys: [ManagementKey]) {
        var created: [String: [String]] = [:]
        for key in keys {
            if case .key(let creator)? = key.createdBy { created[creator, default: []].append(key.id) }
        }
        self.created = created
    }

    /// The ids of a key, of the keys that it created, of the keys that those created, and so on.
    ///
    /// Visits each key once, also in a circle, which databases of an earlier version can contain.
    package func descendants(of id: String) -> Set<String> {
        var (found, open): (Set, [String]) = ([id], [id])
        while let next = open.popLast() {
            for child in created[next] ?? [] where found.insert(child).inserted { open.append(child) }
        }
        return found
    }
}
