/// What a configuration must fit: the schema of a database, its apps, and the master keys that seal its keys and secrets.
package struct DatabaseSummary: Sendable, Equatable {
    /// The version of the schema, 0 without tables.
    package let schema: Int
    package let apps: Set<AppID>
    /// The ids of the master keys that have sealed signing keys, and secrets of delivery.
    package let sealingKeyIDs: Set<String>
    /// What an operator must change in the database server, one line each.
    package let warnings: [String]

    package init(schema: Int, apps: Set<AppID>, sealingKeyIDs: Set<String>, warnings: [String] = []) {
        self.schema = schema
        self.apps = apps
        self.sealingKeyIDs = sealingKeyIDs
        self.warnings = warnings
    }
}
