internal import Dispatch
internal import GRDB

/// Holds a database's writer until it is opened, so that a test decides what waits.
final class WriterGate: Sendable {
    private let gate = DispatchSemaphore(value: 0)

    /// Returns when the writer is held.
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
