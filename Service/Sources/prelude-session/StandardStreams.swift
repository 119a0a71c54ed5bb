import Foundation

/// Opens the standard streams that the caller of the program has closed.
///
/// The next file that opens would get the number of a closed stream, and the log would be written to a connection or to
/// what an event loop waits for.
enum StandardStreams {
    static func openMissing() {
        for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) == -1 {
            // The lowest free number is that of the stream, because all before it are open.
            _ = open("/dev/null", O_RDWR)
        }
    }
}
