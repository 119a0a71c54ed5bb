import Foundation

/// Which core the servers have, and which the generator.
struct Cores {
    let server: Int?
    let generator: Int?

    /// Pins this process to the last core, and leaves the first one to the servers.
    ///
    /// - Parameter isWanted: Otherwise, with one core, or without taskset, nothing is pinned.
    init(pinned isWanted: Bool) {
        let count = ProcessInfo.processInfo.processorCount
        guard isWanted, count > 1, Self.pin(to: count - 1) else {
            (server, generator) = (nil, nil)
            return
        }
        (server, generator) = (0, count - 1)
    }

    var description: String {
        guard let server, let generator else { return "nothing is pinned" }
        return "servers on core \(server), generator on core \(generator)"
    }

    /// Pins all threads of this process. Threads that start later inherit it.
    private static func pin(to core: Int) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["taskset", "-a", "-c", "-p", "\(core)", "\(getpid())"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
