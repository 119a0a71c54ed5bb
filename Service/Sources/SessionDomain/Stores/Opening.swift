/// What opening a database may do.
package enum Opening: Sendable {
    /// Create a missing database and migrate an older one: the service.
    case migrating
    /// Create a missing database, but do not migrate: a command that may run before the service.
    case creating
    /// Do not create and do not migrate. For a command beside a running service, which may have an older version.
    case existing
}
