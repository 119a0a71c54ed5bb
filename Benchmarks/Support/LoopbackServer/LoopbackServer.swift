import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A minimal HTTP server for URLSession: it responds with 200 and a short body to every request.
///
/// It keeps connections open, with one thread each, and allocates no memory per request.
public final class LoopbackServer: Sendable {
    /// The port on 127.0.0.1, chosen by the system.
    public let port: UInt16
    private let served = Mutex(0)

    /// The number of requests with a response.
    public var requests: Int { served.withLock { $0 } }

    /// Starts the server. It runs until the process ends.
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

/// A system call of the server failed.
public struct ServerFailure: Error {
    let call: String
    let code: Int32
}
