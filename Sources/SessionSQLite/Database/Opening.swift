/// What opening a database may do to it.
package enum Opening: Sendable {
    /// Make what is not there, and migrate what is older: the service.
    case migrating
    /// Make what is not there, and leave what is there as it is: a command that may come before the service.
    case creating
    /// Neither: a command beside a service, which may be an older one.
    case existing
}
