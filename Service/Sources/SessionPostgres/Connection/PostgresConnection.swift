internal import CPostgres
internal import Foundation
internal import SessionDomain
internal import SessionSQL

/// One connection to a server. Only its thread uses it.
///
/// Statements are sent in pipelines: all at once, and then one wait for all results.
final class PostgresConnection {
    let handle: OpaquePointer
    /// The names of the prepared statements, by their text.
    private var prepared: [String: String] = [:]
    private var namesGiven = 0
    /// Whether the results of each pipeline were read. If not, the next results would be those of an earlier one.
    private var isInStep = true
    /// Whether the server may send notifications between two pipelines.
    private var isListening = false
    /// Milliseconds that the server may take for a pipeline.
    private let patience: Int
    /// Warnings of the server without a code of their own.
    private let warnings: UnsafeMutablePointer<CInt>
    /// What a transaction begins with where a pooler gives each one another connection of the server. `nil`: there is none, so
    /// prepared statements and settings last.
    private(set) var pooledSettings: Statement?
    /// Whether transactions wait longer for a lock.
    private var isPatient = false
    /// How many pipelines were sent. Each is a round trip.
    private(set) var pipelines = 0
    /// The timeline of the server, and which one the process uses. `nil`: a server without timelines.
    private var primary: (timeline: Timeline, history: PrimaryHistory)?

    /// Connects, and waits until the server accepts.
    ///
    /// - Parameters:
    ///   - parameters: Parameters of libpq by name.
    ///   - patience: Milliseconds that the server may take for a pipeline.
    ///   - pooledSettings: What each transaction begins with, until `keep(_:)` finds out that there is no pooler.
    init(
        _ parameters: [(name: String, value: String)], patience: Int, pooledSettings: Statement
    ) throws(PostgresFailure) {
        if let reason = pq_load() {
            throw PostgresFailure(.rejected, "libpq cannot be loaded: \(String(cString: reason))")
        }
        guard pq_lib_version() >= 140_000 else {
            throw PostgresFailure(.rejected, "libpq 14 or later is needed, not \(pq_lib_version())")
        }
        let names = CStrings(parameters.map(\.name))
        let values = CStrings(parameters.map(\.value))
        guard let handle = names.with({ names in values.with { pq_connect(names, $0) } }) else {
            throw PostgresFailure(.disconnected, "no memory for a connection")
        }
        guard pq_status(handle) == 0 else {
            let reason = Self.message(of: handle)
            pq_finish(handle)
            throw PostgresFailure(.disconnected, reason)
        }
        self.handle = handle
        self.patience = patience
        self.pooledSettings = pooledSettings
        warnings = .allocate(capacity: 1)
        warnings.initialize(to: 0)
        pq_count_warnings(handle, warnings)
        guard pq_set_nonblocking(handle, 1) == 0, pq_enter_pipeline_mode(handle) == 1 else {
            throw PostgresFailure(.disconnected, Self.message(of: handle))
        }
    }

    deinit {
        pq_finish(handle)
        warnings.deallocate()
    }

    var socket: CInt { pq_socket(handle) }

    /// The process of the server, as it was at the start. A pooler invents one.
    private var announcedProcess: Int { Int(pq_backend_pid(handle)) }

    /// The encoding of the database.
    var serverEncoding: String? { pq_parameter_status(handle, "server_encoding").map { String(cString: $0) } }

    var serverVersion: String? { pq_parameter_status(handle, "server_version").map { String(cString: $0) } }

    /// Whether the server has not closed the connection, and accepts writes. Between two pipelines it sends nothing else that
    /// matters.
    var isUsable: Bool {
        guard isInStep, pq_status(handle) == 0, pooledSettings != nil || !isReadOnly, !isReplaced else {
            return false
        }
        // A closed connection is readable, too. Then the next pipeline fails.
        if isListening { return true }
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 0) == 0
    }

    /// Whether the server has said that it accepts no writes, such as after a failover that left it running. Its rows are old.
    private var isReadOnly: Bool {
        let names: [String] = ["in_hot_standby", "default_transaction_read_only"]
        return names.contains { name in pq_parameter_status(handle, name).map { String(cString: $0) } == "on" }
    }

    /// Whether the process uses another primary than the server.
    private var isReplaced: Bool { primary.map { $0.history.isReplaced($0.timeline) } ?? false }

    /// From now on, the connection lasts as long as the process uses this primary.
    func using(_ timeline: Timeline, of history: PrimaryHistory) -> PostgresConnection {
        primary = (timeline, history)
        return self
    }

    /// Notes that the server has answered.
    ///
    /// - Parameter now: Milliseconds on a clock that never jumps.
    func noteAnswer(_ now: Int64) {
        if let primary { primary.history.answered(primary.timeline, at: now) }
    }

    /// Sets what lasts as long as the connection, if there is no pooler.
    ///
    /// - Returns: `false` behind a pooler, where nothing may stay on the server.
    func keep(_ settings: Statement) throws(PostgresFailure) -> Bool {
        let answer = try run([Statement("SELECT pg_backend_pid()")])[0]
        guard (try? answer.first { try $0.next() as Int }) == announcedProcess else { return false }
        pooledSettings = nil
        _ = try run([settings])
        return true
    }

    /// Runs work whose transactions wait longer for a lock.
    ///
    /// - Parameter isPatient: Whether they do.
    func waitingLonger<Answer>(
        _ isPatient: Bool, _ work: (PostgresConnection) throws(PostgresFailure) -> Answer
    ) throws(PostgresFailure) -> Answer {
        self.isPatient = isPatient
        defer { self.isPatient = false }
        return try work(self)
    }

    /// Receives the notifications of a channel from now on.
    func listen(to channel: String) throws(PostgresFailure) {
        _ = try run([Statement("LISTEN \(channel)")])
        isListening = true
    }

    /// Waits for a notification, or for some milliseconds. Several notifications are one.
    func awaitNotification(atMost milliseconds: Int) throws(PostgresFailure) {
        var isNotified = takeNotifications()
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        while !isNotified {
            let ready = poll(&descriptor, 1, CInt(milliseconds))
            if ready == 0 || (ready < 0 && errno == EINTR) { return }
            try check(pq_consume_input(handle) == 1)
            isNotified = takeNotifications()
        }
    }

    private func takeNotifications() -> Bool {
        var hasAny = false
        while let notification = pq_notification(handle) {
            pq_free_memory(notification)
            hasAny = true
        }
        return hasAny
    }

    /// Sends the statements in one piece and returns the rows of each.
    ///
    /// - Parameter commits: Whether the last statement commits. If the connection is lost then, it may have happened.
    /// - Throws: `PostgresFailure` of the first statement that fails. The server does not run those after it.
    @discardableResult
    func run(_ statements: [Statement], commits: Bool = false) throws(PostgresFailure) -> [Rows] {
        guard isUsable else { throw PostgresFailure(.disconnected, "the connection is lost") }
        guard let first = statements.first, first.isBegin, pooledSettings != nil || isPatient else {
            return try runAll(statements, commits: commits)
        }
        // The rows of the settings are no result of the caller's.
        let settings = [pooledSettings, isPatient ? PostgresServer.longLockWait : nil].compactMap(\.self)
        let rows = try runAll([first] + settings + statements.dropFirst(), commits: commits)
        return Array(rows.prefix(1) + rows.dropFirst(1 + settings.count))
    }

    private func runAll(_ statements: [Statement], commits: Bool) throws(PostgresFailure) -> [Rows] {
        let values = statements.map { CStrings($0.texts) }
        guard values.allSatisfy(\.areWhole) else {
            throw PostgresFailure(
                .rejected, "PostgreSQL stores no text that contains the character NUL", isOfCaller: true)
        }
        var progress = Progress()
        pipelines += 1
        isInStep = false
        warnings.pointee = 0
        do {
            try exchange(statements, values, &progress)
        } catch {
            let mayBeCommitted = commits && progress.isSent && !progress.isHalted
            throw mayBeCommitted ? PostgresFailure(.unknown, error.reason) : error
        }
        isInStep = true
        if let failure = progress.failure { throw failure }
        // The commit waited for a standby, and an administrator has ended the wait.
        if commits, warnings.pointee > 0 {
            throw PostgresFailure(.unknown, "the commit was not confirmed by a standby: its wait was cancelled")
        }
        // The server has become one that others have replaced, and says so with the first rows after that.
        if !commits, pooledSettings == nil, isReadOnly {
            throw PostgresFailure(.readOnly, "PostgreSQL accepts no writes any more")
        }
        return progress.rows
    }

    /// What is known of a pipeline, also when it ends with a lost connection.
    private struct Progress {
        /// Whether the last statement may have been sent.
        var isSent = false
        var rows: [Rows] = []
        /// The failure of the first statement that failed. Those after it did not run.
        var failure: PostgresFailure?
        /// Whether that was not the last one, so the last one did not run.
        var isHalted = false
    }

    private func exchange(
        _ statements: [Statement], _ values: [CStrings], _ progress: inout Progress
    ) throws(PostgresFailure) {
        var isNew: [Bool] = []
        for (statement, values) in zip(statements, values) {
            progress.isSent = isNew.count == statements.count - 1
            isNew.append(try send(statement, values))
        }
        try check(pq_pipeline_sync_point(handle) == 1)
        try flush()
        for (index, statement) in statements.enumerated() {
            let isLast = index == statements.count - 1
            if isNew[index] {
                try receive(statement, isLast: isLast, &progress) { _, _ in }
                // The server does not know it.
                if progress.failure != nil { prepared[statement.checkedText] = nil }
            }
            try receive(statement, isLast: isLast, isOld: !isNew[index], &progress) { $1.rows.append($0) }
        }
        try awaitSync()
    }

    /// Sends a statement. Returns whether its preparation was sent before it.
    private func send(_ statement: Statement, _ values: CStrings) throws(PostgresFailure) -> Bool {
        let (sql, count) = (statement.checkedText, CInt(statement.values.count))
        if pooledSettings != nil {
            try check(values.with { pq_send_query_once(handle, sql, count, $0) } == 1)
            return false
        }
        let known = prepared[sql]
        let name = known ?? "s\(namesGiven)"
        if known == nil {
            namesGiven += 1
            try check(pq_send_prepare(handle, name, sql) == 1)
            prepared[sql] = name
        }
        try check(values.with { pq_send_query_prepared(handle, name, count, $0) } == 1)
        return known == nil
    }

    /// Receives the result of one statement, or of its preparation. NULL ends the results of each.
    ///
    /// - Parameter isOld: Whether an earlier pipeline has prepared it.
    private func receive(
        _ statement: Statement, isLast: Bool, isOld: Bool = false, _ progress: inout Progress,
        _ keep: (Rows, inout Progress) -> Void
    ) throws(PostgresFailure) {
        guard let result = try next() else { throw lost() }
        let rows = Rows(result)
        switch Int(pq_result_status(result)) {
        case pq_command_ok, pq_tuples_ok: keep(rows, &progress)
        case pq_pipeline_aborted: break
        default:
            guard let state = pq_result_field(result, CInt(pq_field_state)) else { throw lost() }
            let message = pq_result_field(result, CInt(pq_field_message)).map { String(cString: $0) }
            progress.failure = PostgresFailure(
                state: String(cString: state), message: message ?? "no message", of: statement, isOld: isOld)
            progress.isHalted = !isLast
        }
        guard try next() == nil else { throw lost() }
    }

    private func awaitSync() throws(PostgresFailure) {
        guard let result = try next() else { throw lost() }
        let status = pq_result_status(result)
        pq_clear(result)
        guard Int(status) == pq_pipeline_sync else { throw lost() }
    }

    /// The next result, when all of it has arrived. `nil` between the results of two statements.
    private func next() throws(PostgresFailure) -> OpaquePointer? {
        while pq_is_busy(handle) == 1 {
            try wait(for: POLLIN)
            try check(pq_consume_input(handle) == 1)
        }
        return pq_get_result(handle)
    }

    /// Sends what libpq has kept. It must read meanwhile, because the server may wait until its results are read.
    private func flush() throws(PostgresFailure) {
        while true {
            switch pq_flush(handle) {
            case 0: return
            case 1:
                try wait(for: POLLIN | POLLOUT)
                try check(pq_consume_input(handle) == 1)
            default: throw lost()
            }
        }
    }

    private func wait(for events: Int32) throws(PostgresFailure) {
        var descriptor = pollfd(fd: socket, events: Int16(events), revents: 0)
        var ready: CInt
        repeat { ready = poll(&descriptor, 1, CInt(patience)) } while ready < 0 && errno == EINTR
        guard ready > 0 else { throw PostgresFailure(.disconnected, "the server did not answer in \(patience) ms") }
    }

    private func check(_ condition: Bool) throws(PostgresFailure) { if !condition { throw lost() } }

    private func lost() -> PostgresFailure { PostgresFailure(.disconnected, Self.message(of: handle)) }

    /// The last error of libpq in one line. It contains neither passwords nor values.
    private static func message(of handle: OpaquePointer) -> String {
        let text = pq_error_message(handle).map { String(cString: $0) } ?? ""
        let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        return lines.isEmpty ? "the connection is lost" : lines.joined(separator: "; ")
    }
}
