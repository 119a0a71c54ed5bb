import Foundation
import Synchronization
import Testing

@testable import PreludeSession

@Suite("The protection of the SDK's files")
struct FileProtectionTests {
    /// Protection that is kept in memory.
    private final class RecordedProtection: FileProtection {
        private let state = Mutex((paths: [String](), fails: false))
        var paths: [String] { state.withLock { $0.paths } }
        func fail(_ fails: Bool) { state.withLock { $0.fails = fails } }

        func isProtected(_ path: String) -> Bool { paths.contains(path) }
        func protect(_ path: String) throws {
            try state.withLock { state in
                if state.fails { throw CancellationError() }
                state.paths.append(path)
            }
        }
    }

    private let protection = RecordedProtection()

    private func withDirectory(_ work: (String) throws -> Void) throws {
        let directory = NSTemporaryDirectory() + "prelude-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try work(directory)
    }

    @Test("A new directory is protected once, and its files inherit it")
    func new() throws {
        try withDirectory { directory in
            for _ in 1...2 { try FileLock.makeDirectory(directory, protection: protection) }
            #expect(protection.paths == [directory])
        }
    }

    @Test("A directory of an earlier version is protected after its files")
    func earlierVersion() throws {
        try withDirectory { directory in
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
            #expect(FileManager.default.createFile(atPath: directory + "/a.lock", contents: nil))
            try FileLock.makeDirectory(directory, protection: protection)
            #expect(protection.paths == [directory + "/a.lock", directory])
        }
    }

    @Test("A protection that fails is tried again at the next use, and the directory is usable")
    func failing() throws {
        try withDirectory { directory in
            protection.fail(true)
            try FileLock.makeDirectory(directory, protection: protection)
            #expect(protection.paths.isEmpty)
            protection.fail(false)
            try FileLock.makeDirectory(directory, protection: protection)
            #expect(protection.paths == [directory])
        }
    }

    @Test("On tvOS all files are in Caches, where apps can write; elsewhere where the system does not delete them")
    func folders() {
        let phone = AppleFolders(home: "/app", isTV: false)
        #expect(phone.records == "/app/Library/Application Support/prelude-session")
        #expect(phone.locks(ofApp: "com.example.app", service: "s/1") == "/app/Library/Caches/com.example.app/s_1")
        #expect(
            phone.locks(inGroup: "/group", service: "s/1")
                == "/group/Library/Application Support/prelude-session/s_1")
        let television = AppleFolders(home: "/app", isTV: true)
        #expect(television.records == "/app/Library/Caches/prelude-session")
        #expect(television.locks(inGroup: "/group", service: "s") == "/group/Library/Caches/prelude-session/s")
    }
}
