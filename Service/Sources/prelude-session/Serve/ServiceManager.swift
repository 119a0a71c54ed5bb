import Foundation
import NIOPosix
import ServiceLifecycle
import SessionDomain
import SessionHTTP

/// Tells the service manager that started this process how it is: systemd with `Type=notify` (sd_notify(3)).
///
/// A message is one datagram to the socket of the variable `NOTIFY_SOCKET`. Without the variable nothing is sent.
struct ServiceManager: Sendable {
    /// A path, or `@` and the name of an abstract socket.
    private let socketName: String?
    /// Seconds within which systemd expects the next sign of life. `nil`: it expects none.
    let watchdogSeconds: Int?

    /// - Parameters:
    ///   - environment: The variables of the process.
    ///   - process: The number of the process. The watchdog may be meant for another one.
    init(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        process: Int32 = ProcessInfo.processInfo.processIdentifier
    ) {
        socketName = environment["NOTIFY_SOCKET"]
        let isMeant = environment["WATCHDOG_PID"].map { $0 == String(process) } ?? true
        watchdogSeconds = isMeant ? environment["WATCHDOG_USEC"].flatMap(Int.init).map { max(1, $0 / 1_000_000) } : nil
    }

    /// The service can be used: its listeners accept connections.
    func tellReady() { send("READY=1") }

    /// The service ends. It still answers requests that have begun.
    func tellStopping() { send("STOPPING=1") }

    /// A sign of life for the watchdog.
    func tellAlive() { send("WATCHDOG=1") }

    /// Calls `reload`, and tells that the service reads its files meanwhile.
    func tellReloading(_ reload: () -> Void) {
        send("RELOADING=1")
        reload()
        tellReady()
    }

    /// A message that cannot be sent is lost: the service works without its manager.
    private func send(_ message: String) {
        guard let socketName, var address = Self.address(of: socketName) else { return }
        #if canImport(Darwin)
            let type = SOCK_DGRAM
        #else
            let type = Int32(SOCK_DGRAM.rawValue)
        #endif
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let bytes = Array(message.utf8)
        withUnsafePointer(to: &address.value) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                _ = sendto(descriptor, bytes, bytes.count, 0, generic, socklen_t(address.length))
            }
        }
    }

    /// - Returns: `nil` for a name that is too long for an address.
    private static func address(of name: String) -> (value: sockaddr_un, length: Int)? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // The first byte of an abstract name is zero (unix(7)).
        var path = Array(name.utf8)
        if path.first == UInt8(ascii: "@") { path[0] = 0 }
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { room in
            guard path.count < room.count else { return false }
            room.copyBytes(from: path)
            return true
        }
        guard fits, let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) else { return nil }
        return (address, offset + path.count)
    }
}

/// Tells the service manager when the service is ready, and that it is alive while its event loops work.
struct ServiceManagerReports: Service, CustomStringConvertible {
    let manager: ServiceManager
    /// The number of listeners, each of which sends an element when it accepts connections.
    let listeners: Int
    let starts: AsyncStream<Void>
    let environment: ServiceEnvironment

    var description: String { "Service manager" }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var started = 0
            for await _ in starts {
                started += 1
                if started == listeners { break }
            }
            guard started == listeners else { return }
            manager.tellReady()
            guard let seconds = manager.watchdogSeconds else { return }
            while !Task.isCancelled {
                // An event loop that hangs lets the watchdog end the process.
                await EventLoops.allAnswer()
                manager.tellAlive()
                try? await environment.sleep(max(1, seconds / 2))
            }
        }
    }
}
