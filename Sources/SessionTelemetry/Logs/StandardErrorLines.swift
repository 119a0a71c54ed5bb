internal import Foundation
internal import Synchronization

/// Writes whole lines to the standard error, one after the other. Lines of several threads never mix.
@available(service, *)
package final class StandardErrorLines: Sendable {
    private let lock = Mutex(())

    package init() {}

    /// Blocks while the reader of a pipe does not read. A line that cannot be written is dropped: there is no other place
    /// for it.
    package func write(_ line: String) {
        lock.withLock { _ in
            let bytes = Array(line.utf8)
            var written = 0
            while written < bytes.count {
                let count = bytes[written...].withUnsafeBytes {
                    Foundation.write(STDERR_FILENO, $0.baseAddress, $0.count)
                }
                if count < 0, errno != EINTR { return }
                written += max(0, count)
            }
        }
    }
}
