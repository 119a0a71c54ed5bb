internal import Dispatch
internal import GRDB

/// Blocks the writer of a database until the gate is opened, so that a test controls which jobs wait.
final class WriterGate: Sendable {
    private let gate = DispatchSemaphore(value: 0)

    /// Returns when the writer is blocked.
    func hold(_ database: any DatabaseWriter) async {
        await withCheckedContinuation { continuation in
            database.asyncWriteWithoutTransaction { _ in
                continuation.resume()
                self.gate.wait()
            }
        }
    }

    func open() { gate.signal() }
}
