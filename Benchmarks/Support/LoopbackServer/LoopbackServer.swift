import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The smallest HTTP server that URLSession is content with: 200 and a short body to everybody, connections kept, a thread
/// for each, and no allocation of memory for a request.
public final class LoopbackServer: Sendable {
    /// On 127.0.0.1, chosen by the system.
    public let port: UInt16
    private let served = Mutex(0)

    /// How many requests were answered.
    public var requests: Int { served.withLock { $0 } }

    /// Listens from now until the process ends.
    public init() throws {
        let (listener, port) = try Listener.open()
        self.port = port
        Connection.onThread { [self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { continue }
                Connection.onThread { [self] in
                    Connection(descriptor: connection).answerAll { served.withLock { $0 += 1 } }
                }
            }
        }
    }
}

/// The system refused what a server needs.
public struct ServerFailure: Error {
    let call: String
    let code: Int32
}
