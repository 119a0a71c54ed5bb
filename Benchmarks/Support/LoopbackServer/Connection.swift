import Foundation

/// One blocking connection on its own thread.
struct Connection {
    let descriptor: Int32

    private static let answer = Array(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n{\"ok\":\"true\"}".utf8)
    private static let endOfHead = Array("\r\n\r\n".utf8)

    /// Responds to each request head until the client closes the connection. Requests must have no bodies.
    func answerAll(onAnswer: () -> Void) {
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 1) { buffer in
            var matched = 0
            while true {
                let length = read(descriptor, buffer.baseAddress, buffer.count)
                guard length > 0 else { break }
                for byte in buffer[..<length] {
                    matched = byte == Self.endOfHead[matched] ? matched + 1 : (byte == Self.endOfHead[0] ? 1 : 0)
                    guard matched == Self.endOfHead.count else { continue }
                    matched = 0
                    onAnswer()
                    _ = Self.answer.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                }
            }
        }
        close(descriptor)
    }

    /// Runs work on a new thread.
    static func onThread(_ work: @escaping @Sendable () -> Void) {
        Thread.detachNewThread(work)
    }
}
