internal import Foundation

/// A file or pipe that receives the log.
package enum LogFile {
    /// Writes bytes to an open file. Blocks while a pipe is full.
    ///
    /// - Returns: How many bytes were written before an error. All, if there was none.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                written += count
            } else if errno == EAGAIN {
                // Another program has set the pipe to non-blocking.
                var event = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&event, 1, -1)
            } else if errno != EINTR {
                break
            }
        }
        return written
    }

    package static func writeToStandardError(_ bytes: [UInt8]) -> Int { write(bytes, to: STDERR_FILENO) }
}
