package import SessionDomain

/// The rows that a statement finds.
package protocol StoredRows {
    func first<Value>(_ read: (inout ColumnReader) throws -> Value) throws -> Value?
    func all<Value>(_ read: (inout ColumnReader) throws -> Value) throws -> [Value]
}

extension StoredRows {
    /// The value of `count(*)`.
    package func total() throws -> Int { try first { try $0.next() } ?? 0 }

    package func isEmpty() throws -> Bool { try first { _ in } == nil }
}

/// A store whose rows are read by statements that both dialects have. The files of the nouns have the reads.
package protocol SQLStore: IntentStore {
    var dialect: Dialect { get }

    /// Reads committed rows, in one snapshot.
    ///
    /// - Parameter read: Reads the rows of each statement, in their order.
    func read<Answer: Sendable>(
        _ statements: [Statement], _ read: @escaping @Sendable ([any StoredRows]) throws -> Answer
    ) async throws -> Answer
}

extension SQLStore {
    func first<Value: Sendable>(
        _ statement: Statement, _ read: @escaping @Sendable (inout ColumnReader) throws -> Value
    ) async throws -> Value? {
        try await self.read([statement]) { try $0[0].first(read) }
    }

    func all<Value: Sendable>(
        _ statement: Statement, _ read: @escaping @Sendable (inout ColumnReader) throws -> Value
    ) async throws -> [Value] {
        try await self.read([statement]) { try $0[0].all(read) }
    }
}

/// How the threads of requests and the writer of a store pass work to each other.
///
/// To wake a thread for each job costs more than most jobs. So a thread first finishes what it can do without waiting, and
/// then wakes another one for everything that it has for it. A thread that has only one job passes it on at once.
package protocol Handover: Sendable {
    /// Runs the closure when the current thread has nothing else to do; at once on a thread that serves no requests.
    func afterTick(_ start: @escaping @Sendable () -> Void)
    /// Runs the closure, which resumes tasks. The threads of these tasks wake up after it, each one once.
    func resuming(_ resume: () -> Void)
}

/// Passes each job on at once.
package struct DirectHandover: Handover {
    package init() {}

    package func afterTick(_ start: @escaping @Sendable () -> Void) { start() }

    package func resuming(_ resume: () -> Void) { resume() }
}
