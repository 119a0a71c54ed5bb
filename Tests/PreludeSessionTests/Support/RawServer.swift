import Foundation

/// Answers one connection on loopback with the test's bytes, valid HTTP or not, and notices when the client closes it.
final class RawServer: Sendable {
    let port: UInt16
    /// Opened when the first part of the answer was sent.
    let hasBegun = Gate()
    /// Opened when the client has closed the connection.
    let isHungUp = Gate()

    private let listener: Int32

    struct NoSocket: Error {}

    /// - Parameter rest: Sent repeatedly until the client closes the connection. If empty, the server only waits for that.
    init(head: String, rest: [UInt8]) throws {
        #if os(Linux)
            let stream = Int32(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        let listener = socket(AF_INET, stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) | listen(listener, 1) | getsockname(listener, $0, &length)
            }
        }
        guard status == 0 else { throw NoSocket() }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        let (hasBegun, isHungUp) = (hasBegun, isHungUp)
        Thread {
            Self.serve(accept(listener, nil, nil), head: head, rest: rest) { Task { await hasBegun.open() } }
            Task { await isHungUp.open() }
        }.start()
    }

    deinit { close(listener) }

    private static func serve(_ connection: Int32, head: String, rest: [UInt8], onBegin: () -> Void) {
        defer { close(connection) }
        var request: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !request.contains(where: { $0 == 10 }) || request.suffix(4) != [13, 10, 13, 10] {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            request += buffer[..<count]
        }
        guard write(Array(head.utf8), to: connection) else { return }
        onBegin()
        while !rest.isEmpty { guard write(rest, to: connection) else { return } }
        while recv(connection, &buffer, buffer.count, 0) > 0 {}
    }

    private static func write(_ bytes: [UInt8], to connection: Int32) -> Bool {
        #if os(Linux)
            let flags = Int32(MSG_NOSIGNAL)
        #else
            let flags: Int32 = 0
        #endif
        return send(connection, bytes, bytes.count, flags) == bytes.count
    }
}
