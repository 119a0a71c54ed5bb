import ArgumentParser
import Foundation
import NIOCore
import SessionArgon2
import SessionDomain

/// The work of the service without a network, in this process: refreshes by the domain alone, refreshes with the router,
/// bare password hashes, and bare syncs of the disk.
struct InProcessCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "in-process", abstract: "Measure refreshes, password hashes and syncs without a network.")

    @Option(help: "A folder for the database.")
    var folder: String

    @Option(help: "Callers at the same time.")
    var callers = 16

    @Option(help: "Seconds of each measurement.")
    var seconds = 2.0

    @Flag(help: "Only password hashes.")
    var onlyHashes = false

    func run() async throws {
        guard !onlyHashes else {
            print(try await hashes().line)
            return
        }
        let service = try await InProcessService(folder: URL(fileURLWithPath: folder))
        var sessions: [InProcessSession] = []
        for index in 0..<callers { sessions.append(try await service.signIn("+1415200\(1000 + index)")) }
        print(try await refreshes(.domain, service, &sessions).line)
        print(try await refreshes(.router, service, &sessions).line)
        print(try await hashes().line)
        print(try syncs().line)
        try await service.close()
    }

    /// Calls that a caller makes between two stops of the clock.
    private static let blockSize = 100

    /// Makes proofs while the clock stands still, and refreshes while it runs.
    private func refreshes(
        _ way: InProcessService.Way, _ service: InProcessService, _ sessions: inout [InProcessSession]
    ) async throws -> InProcessResult {
        var watch = Stopwatch()
        var count = 0
        while watch.seconds < seconds {
            let prepared = try sessions.map { session in
                (token: session.refreshToken, proofs: try (0..<Self.blockSize).map { _ in try session.proof() })
            }
            watch.start()
            let tokens = try await withThrowingTaskGroup(of: (Int, String).self) { group in
                for (index, session) in prepared.enumerated() {
                    group.addTask {
                        var token = session.token
                        for proof in session.proofs {
                            token = try await service.refresh(token, proof: proof, by: way)
                        }
                        return (index, token)
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            watch.stop()
            for (index, token) in tokens { sessions[index].refreshToken = token }
            count += sessions.count * Self.blockSize
        }
        return InProcessResult(way.rawValue, count, watch)
    }

    /// The rate of Argon2id alone. A password login cannot be faster.
    private func hashes() async throws -> InProcessResult {
        let hasher = try Argon2PasswordHasher()
        guard let app = AppID(ServiceProcess.app) else { throw BenchmarkError("the id of the app is not valid") }
        var watch = Stopwatch()
        var count = 0
        while watch.seconds < seconds {
            watch.start()
            try await withThrowingTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask { _ = try await hasher.admit(app: app).hash(PasswordLogin.password) }
                }
                try await group.waitForAll()
            }
            watch.stop()
            count += 8
        }
        return InProcessResult("argon2id", count, watch)
    }

    /// The rate of what a commit of one refresh writes to the log: three pages, and a sync. The file has its size before, as
    /// a log that is used again.
    private func syncs() throws -> InProcessResult {
        let path = URL(fileURLWithPath: folder).appendingPathComponent("syncs").path
        let commit = [UInt8](repeating: 1, count: 3 * (24 + 4096))
        let commits = 300
        guard FileManager.default.createFile(atPath: path, contents: Data(count: commits * commit.count)),
            let file = FileHandle(forUpdatingAtPath: path)
        else { throw BenchmarkError("cannot write \(path)") }
        try file.synchronize()
        var watch = Stopwatch()
        var count = 0
        watch.start()
        let end = NIODeadline.now() + .nanoseconds(Int64(seconds * 1e9))
        while NIODeadline.now() < end {
            let offset = off_t(count % commits * commit.count)
            guard pwrite(file.fileDescriptor, commit, commit.count, offset) == commit.count,
                Self.sync(file.fileDescriptor) == 0
            else { throw BenchmarkError("cannot write \(path)") }
            count += 1
        }
        watch.stop()
        return InProcessResult("sync", count, watch)
    }

    /// What SQLite calls for the log.
    private static func sync(_ descriptor: Int32) -> Int32 {
        #if os(Linux)
            fdatasync(descriptor)
        #else
            fsync(descriptor)
        #endif
    }
}
