internal import SessionDomain
internal import SessionSQL

/// A failure of a statement or of a connection.
struct PostgresFailure: Error {
    enum Kind: Sendable, Equatable {
        /// A guard has failed.
        case refused(FailedGuard)
        /// The server has undone the transaction because of another one. It can run again.
        case conflict
        /// The connection is unusable, and nothing of what was sent in this step was committed.
        case disconnected
        /// The server accepts no writes: it is, or has become, a standby. Nothing was committed.
        case readOnly
        /// The connection was lost after the commit was sent. It may have happened.
        case unknown
        /// Another error of the server.
        case rejected
    }

    let kind: Kind
    /// Without the values of the statement, which may be secrets.
    let reason: String
    /// Whether only the values or the rows of this caller are the cause. The server works, so the store does not count as
    /// failing: a caller must not be able to make the health check fail.
    let isOfCaller: Bool
    /// Whether another transaction kept a lock for longer than `lock_timeout`.
    let isOfLock: Bool
    /// Whether this engine has no such function, or does not allow its use.
    let isOfEngine: Bool
    private static let divisionByZero = "22012"
    /// Serialization failure, deadlock, lock timeout; and a foreign key, because a row that another one belongs to can be
    /// deleted after it was read, such as a webhook.
    private static let conflicts: Set<String> = ["40001", "40P01", lockTimeout, "23503"]
    private static let lockTimeout = "55P03"
    /// The server shuts down, has crashed or starts, is read-only, or refuses connections.
    private static let disconnections: Set<String> = ["57P01", "57P02", "57P03", "53300", "57P05", "25P03"]

    /// A feature that the engine lacks. For a statement that worked before: "cached plan must not change result type", because
    /// a migration has changed a column. Another connection prepares it again. The text depends on the server's language.
    private static let unsupported = "0A000"

    /// Whether another connection is needed.
    var isOfConnection: Bool { [.disconnected, .readOnly, .unknown].contains(kind) }

    /// Whether the work can run again on another connection.
    var mayBeRepeated: Bool { isOfConnection && kind != .unknown }

    init(_ kind: Kind, _ reason: String, isOfCaller: Bool = false) {
        self.kind = kind
        self.reason = reason
        self.isOfCaller = isOfCaller
        isOfLock = false
        isOfEngine = false
    }

    /// - Parameters:
    ///   - message: The primary message of the server. It quotes no values of rows.
    ///   - isOld: Whether the statement was prepared before, and worked.
    init(state: String, message: String, of statement: Statement?, isOld: Bool = false) {
        reason = "PostgreSQL \(state): \(message)"
        // Data exceptions and integrity constraint violations (PostgreSQL documentation, appendix A).
        isOfLock = state == Self.lockTimeout
        isOfCaller = state.hasPrefix("22") || state.hasPrefix("23") || isOfLock
        isOfEngine = ["42883", "42501", Self.unsupported].contains(state)
        if state == Self.divisionByZero, let failure = statement?.failure {
            kind = .refused(failure)
        } else if state == "25006" {
            kind = .readOnly
        } else if Self.conflicts.contains(state) {
            kind = .conflict
        } else if isOld, state == Self.unsupported {
            kind = .disconnected
        } else if Self.disconnections.contains(state) || state.hasPrefix("08") {
            kind = .disconnected
        } else {
            kind = .rejected
        }
    }
}

extension StoreError {
    /// Describes an error without the values of a statement, which may be secrets.
    init(_ error: any Error) {
        switch error {
        case let error as StoreError: self = error
        case let failure as PostgresFailure where failure.isOfLock: self = .locked
        case let failure as PostgresFailure where failure.kind == .conflict: self = .conflict(failure.reason)
        case let failure as PostgresFailure: self = .unavailable(failure.reason)
        default: self = .unavailable("\(type(of: error))")
        }
    }
}
