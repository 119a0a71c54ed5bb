internal import Crypto

/// Copies everything from one store to another, and compares both. No service uses them meanwhile.
package struct DatabaseCopier {
    package struct Progress: Sendable, Equatable {
        package enum Step: Sendable { case copying, comparing }

        package let step: Step
        package let table: String
        /// Rows of all tables that this step has behind it, and those of this run.
        package let rows: Int
        package let rowsOfRun: Int
        package let total: Int

        package init(step: Step, table: String, rows: Int, rowsOfRun: Int, total: Int) {
            self.step = step
            self.table = table
            self.rows = rows
            self.rowsOfRun = rowsOfRun
            self.total = total
        }
    }

    /// What a comparison has found in one table.
    package struct Finding: Sendable, Equatable {
        package let table: String
        package let source: TableDigest
        package let target: TableDigest

        package var isEqual: Bool { source == target }
    }

    private let source: any CopySource
    private let target: any CopyTarget
    private let report: (Progress) -> Void

    package init(from source: any CopySource, to target: any CopyTarget, report: @escaping (Progress) -> Void) {
        self.source = AttributedSource(source: source)
        self.target = target
        self.report = report
    }

    /// Copies what an earlier run has not copied.
    ///
    /// - Parameter identity: Names the content of the source. `nil` if nothing does.
    /// - Returns: The number of rows that this run has written.
    package func copy(_ identity: String?) throws -> Int {
        let place = try target.begin(from: identity)
        let counts = try CopiedTable.all.map { try source.count($0) }
        let total = counts.reduce(0, +)
        guard let first = CopiedTable.all.firstIndex(where: { $0.name == place.table }) else {
            throw CopyError.otherSource
        }
        var done = counts[..<first].reduce(0, +) + place.rows
        let before = done
        var current = place
        for (index, table) in CopiedTable.all.enumerated().dropFirst(first) {
            guard counts[index] > 0 else { continue }
            var rows = index == first ? place.rows : 0
            report(Progress(step: .copying, table: table.name, rows: done, rowsOfRun: done - before, total: total))
            try source.read(table, skipping: rows) { lines in
                try target.append(lines, to: table, from: current)
                rows += lines.rows
                done += lines.rows
                current = CopyPlace(table: table.name, rows: rows)
                report(Progress(step: .copying, table: table.name, rows: done, rowsOfRun: done - before, total: total))
            }
        }
        return done - before
    }

    /// Reads all rows of both stores.
    package func compare() throws -> [Finding] {
        let counts = try CopiedTable.all.map { try source.count($0) }
        var done = 0
        return try zip(CopiedTable.all, counts).map { table, count in
            let show = { (rows: Int) in
                guard count > 0 else { return }
                let total = counts.reduce(0, +)
                report(Progress(step: .comparing, table: table.name, rows: rows, rowsOfRun: rows, total: total))
            }
            show(done)
            let finding = Finding(
                table: table.name, source: try TableDigest(of: table, in: source),
                target: try TableDigest(of: table, in: target))
            done += finding.source.rows
            show(done)
            return finding
        }
    }

    /// Makes the copy usable, if it has the same rows.
    ///
    /// - Throws: `CopyError.differs` with the names of tables.
    package func finish(after findings: [Finding]) throws {
        let different = findings.filter { !$0.isEqual }.map(\.table)
        guard different.isEmpty else { throw CopyError.differs(different) }
        try target.finish()
    }
}

/// A source whose failures are not taken for those of the target.
private struct AttributedSource: CopySource {
    let source: any CopySource

    func count(_ table: CopiedTable) throws -> Int {
        do { return try source.count(table) } catch { throw Self.attributed(error) }
    }

    func read(_ table: CopiedTable, skipping skipped: Int, _ receive: (CopyLines) throws -> Void) throws {
        var failureOfReceiver: (any Error)?
        do {
            try source.read(table, skipping: skipped) { lines in
                do { try receive(lines) } catch {
                    failureOfReceiver = error
                    throw error
                }
            }
        } catch {
            throw failureOfReceiver ?? Self.attributed(error)
        }
    }

    func close() { source.close() }

    private static func attributed(_ error: any Error) -> any Error {
        (error as? StoreError).map(CopyError.unreadable) ?? error
    }
}

/// The number of rows of a table, and the SHA-256 of all of them in their order.
package struct TableDigest: Sendable, Equatable {
    package let rows: Int
    /// Hexadecimal digits.
    package let sha256: String

    init(of table: CopiedTable, in store: any CopySource) throws {
        var (hash, rows) = (SHA256(), 0)
        try store.read(table, skipping: 0) { lines in
            lines.bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
            rows += lines.rows
        }
        self.rows = rows
        sha256 = hash.finalize().map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
