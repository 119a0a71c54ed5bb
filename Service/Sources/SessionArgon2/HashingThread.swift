internal import Foundation

/// Threads for hashes.
enum HashingThread {
    /// The bytes of a stack: a hash needs few. Those of the system's threads are 8 MB, which a process with little memory may
    /// not get.
    private static let stackSize = 1 << 20

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs work on a thread of its own. `Thread` does not say if it could not be started.
    ///
    /// - Returns: `false`, and nothing runs, if the process gets no memory for a thread, or may have no further one.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { attributes.deallocate() }
        guard pthread_attr_init(attributes) == 0 else { return false }
        defer { pthread_attr_destroy(attributes) }
        pthread_attr_setdetachstate(attributes, CInt(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(attributes, stackSize)
        let context = Unmanaged.passRetained(Body(body))
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let code = pthread_create(&thread, attributes, { HashingThread.run($0) }, context.toOpaque())
        if code != 0 { context.release() }
        return code == 0
    }

    private static func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
        return nil
    }
}
