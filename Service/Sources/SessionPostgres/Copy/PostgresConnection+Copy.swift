internal import CPostgres
internal import Foundation
internal import SessionDomain

/// `COPY` is impossible in a pipeline, so the connection leaves the pipeline mode for it (PostgreSQL documentation, 34.5).
extension PostgresConnection {
    /// Sends rows to `COPY … FROM STDIN`, in a transaction that this connection has begun.
    func copyIn(_ sql: String, _ lines: CopyLines) throws(PostgresFailure) {
        try copy(sql, pq_copy_in) { () throws(PostgresFailure) in
            var sent = 0
            while sent < lines.bytes.count {
                let count = min(lines.bytes.count - sent, 1 << 16)
                try untilTaken {
                    lines.bytes.withUnsafeBytes { bytes in
                        pq_put_copy_data(
                            handle, bytes.baseAddress.map { ($0 + sent).assumingMemoryBound(to: CChar.self) },
                            CInt(count))
                    }
                }
                sent += count
            }
            try untilTaken { pq_put_copy_end(handle, nil) }
            try flush()
        }
    }

    /// Passes each row of `COPY … TO STDOUT`, with its newline.
    func copyOut(_ sql: String, _ receive: (UnsafeRawBufferPointer) throws -> Void) throws {
        var failure: (any Error)?
        try copy(sql, pq_copy_out) { () throws(PostgresFailure) in
            while true {
                var start: UnsafeMutablePointer<CChar>?
                let count = pq_get_copy_data(handle, &start, 1)
                guard count != 0 else {
                    try wait(for: POLLIN)
                    try check(pq_consume_input(handle) == 1)
                    continue
                }
                guard count > 0, let start else { return }
                defer { pq_free_memory(start) }
                // After a failure, the rest is read and ignored.
                guard failure == nil else { continue }
                do { try receive(UnsafeRawBufferPointer(start: start, count: Int(count))) } catch { failure = error }
            }
        }
        if let failure { throw failure }
    }

    /// - Parameter status: That of the result when the server is ready to copy.
    private func copy(
        _ sql: String, _ status: Int, _ body: () throws(PostgresFailure) -> Void
    ) throws(PostgresFailure) {
        guard isUsable else { throw PostgresFailure(.disconnected, "the connection is lost") }
        isInStep = false
        try check(pq_exit_pipeline_mode(handle) == 1)
        try check(pq_send_query(handle, sql) == 1)
        try flush()
        guard let first = try next() else { throw lost() }
        var failure = try failure(of: first, expecting: status)
        if failure == nil { try body() }
        while let result = try next() {
            let found = try self.failure(of: result, expecting: pq_command_ok)
            failure = failure ?? found
        }
        try check(pq_enter_pipeline_mode(handle) == 1)
        isInStep = true
        if let failure { throw failure }
    }

    private func failure(of result: OpaquePointer, expecting status: Int) throws(PostgresFailure) -> PostgresFailure? {
        defer { pq_clear(result) }
        guard Int(pq_result_status(result)) != status else { return nil }
        guard let state = pq_result_field(result, CInt(pq_field_state)) else { throw lost() }
        let message = pq_result_field(result, CInt(pq_field_message)).map { String(cString: $0) }
        return PostgresFailure(state: String(cString: state), message: message ?? "no message", of: nil)
    }

    /// Calls a function of libpq again until it has memory for what it sends.
    private func untilTaken(_ send: () -> CInt) throws(PostgresFailure) {
        while true {
            switch send() {
            case 1: return
            case 0: try flush()
            default: throw lost()
            }
        }
    }
}
