import Foundation

/// A process that the benchmark starts and stops by its id.
final class ChildProcess: Sendable {
    private let process = Process()
    private let name: String
    private let log: URL

    /// - Parameters:
    ///   - core: The only core of the process; `nil` for all.
    ///   - log: The file that gets the output and the errors.
    init(
        _ name: String, _ command: [String], core: Int?, log: URL, environment: [String: String] = [:]
    ) throws {
        self.name = name
        self.log = log
        // taskset replaces itself by the command, so the id is that of the server.
        let whole = (core.map { ["/usr/bin/env", "taskset", "-c", "\($0)"] } ?? []) + command
        process.executableURL = URL(fileURLWithPath: whole[0])
        process.arguments = Array(whole.dropFirst())
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        _ = FileManager.default.createFile(atPath: log.path, contents: nil)
        let output = try FileHandle(forWritingTo: log)
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
    }

    var id: Int32 { process.processIdentifier }

    /// Throws the end of the log if the process has ended.
    func check() throws {
        guard !process.isRunning else { return }
        throw BenchmarkError("\(name) has ended with \(process.terminationStatus): \(output.suffix(1000))")
    }

    /// Sends SIGTERM and waits for the end.
    func stop() {
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
    }

    /// Waits for the end and returns the output.
    func finish() throws -> String {
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkError("\(name) has ended with \(process.terminationStatus): \(output.suffix(1000))")
        }
        return output
    }

    private var output: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }
}
