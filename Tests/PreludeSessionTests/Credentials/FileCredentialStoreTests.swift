import Foundation
import Testing

@testable import PreludeSession

@Suite("Credentials in files")
struct FileCredentialStoreTests {
    private func withDirectory(_ work: (String) async throws -> Void) async throws {
        let directory = NSTemporaryDirectory() + "prelude-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await work(directory)
    }

    private func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber).intValue
    }

    @Test("A record can be read, replaced and deleted")
    func roundTrip() async throws {
        try await withDirectory { directory in
            let store = PreludeFileCredentialStore(directory: directory)
            #expect(try store.read("a") == nil)
            try store.write(Data("one".utf8), to: "a")
            try store.write(Data("two".utf8), to: "a")
            #expect(try PreludeFileCredentialStore(directory: directory).read("a") == Data("two".utf8))
            try store.delete("a")
            try store.delete("a")
            #expect(try store.read("a") == nil)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
        }
    }

    @Test("Only the owner can read: directory 0700, file 0600")
    func modes() async throws {
        try await withDirectory { directory in
            try PreludeFileCredentialStore(directory: directory).write(Data("x".utf8), to: "localhost:8080.session")
            #expect(try mode(directory) == 0o700)
            #expect(try mode(directory + "/localhost_8080.session") == 0o600)
        }
    }

    // Proves: E1
    @Test("An unreadable record is unavailable and never absent")
    func unreadable() async throws {
        try await withDirectory { directory in
            let store = PreludeFileCredentialStore(directory: directory)
            try store.write(Data("x".utf8), to: "a")
            // A directory in place of the file cannot be read, not even by root.
            try FileManager.default.createDirectory(atPath: directory + "/b", withIntermediateDirectories: false)
            #expect(throws: PreludeSessionError.self) { try store.read("b") }
        }
    }

    @Test("A pipe in place of a record is unavailable, does not block, and is deleted or replaced")
    func pipe() async throws {
        try await withDirectory { directory in
            let store = PreludeFileCredentialStore(directory: directory)
            for repair in [{ try store.delete("a") }, { try store.write(Data("x".utf8), to: "a") }] {
                try store.write(Data("old".utf8), to: "a")
                try store.delete("a")
                try #require(mkfifo(directory + "/a", 0o600) == 0)
                #expect(throws: PreludeSessionError.self) { try store.read("a") }
                try repair()
                #expect(try store.read("a") != Data("old".utf8))
            }
            #expect(try store.read("a") == Data("x".utf8))
        }
    }

    @Test("An empty directory in place of a record is deleted or replaced")
    func directoryInPlace() async throws {
        try await withDirectory { directory in
            let store = PreludeFileCredentialStore(directory: directory)
            try FileManager.default.createDirectory(atPath: directory + "/a", withIntermediateDirectories: true)
            try store.delete("a")
            #expect(try store.read("a") == nil)
            try FileManager.default.createDirectory(atPath: directory + "/a", withIntermediateDirectories: true)
            try store.write(Data("x".utf8), to: "a")
            #expect(try store.read("a") == Data("x".utf8))
        }
    }

    @Test("A record to which other users have access is unavailable", arguments: [0o640, 0o620, 0o604, 0o602, 0o777])
    func foreignAccess(mode: Int) async throws {
        try await withDirectory { directory in
            let store = PreludeFileCredentialStore(directory: directory)
            try store.write(Data("x".utf8), to: "a")
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: directory + "/a")
            #expect(throws: PreludeSessionError.self) { try store.read("a") }
            try store.write(Data("y".utf8), to: "a")
            #expect(try store.read("a") == Data("y".utf8))
        }
    }

    @Test("A record of another user is unavailable", .enabled(if: geteuid() == 0))
    func foreignOwner() async throws {
        try await withDirectory { directory in
            let store = PreludeFileCredentialStore(directory: directory)
            try store.write(Data("x".utf8), to: "a")
            try #require(chown(directory + "/a", 54_321, 54_321) == 0)
            #expect(throws: PreludeSessionError.self) { try store.read("a") }
        }
    }

    // Proves: E4
    @Test("A failed write keeps the old record and leaves nothing of the new one")
    func failedWrite() async throws {
        try await withDirectory { directory in
            let store = PreludeFileCredentialStore(directory: directory)
            try store.write(Data("old".utf8), to: "a")
            // A file cannot replace a directory.
            try FileManager.default.createDirectory(atPath: directory + "/b/c", withIntermediateDirectories: true)
            #expect(throws: PreludeSessionError.self) { try store.write(Data("new".utf8), to: "b") }
            // Longer than the longest file name.
            let long = String(repeating: "n", count: 300)
            #expect(throws: PreludeSessionError.self) { try store.write(Data("new".utf8), to: long) }
            #expect(try store.read("a") == Data("old".utf8))
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == ["a", "b"])
        }
    }

    @Test("Only the owner can read a created record, and creating leaves no other file")
    func created() async throws {
        try await withDirectory { directory in
            let store = PreludeFileCredentialStore(directory: directory)
            let isCreated = try await store.create(Data("one".utf8), at: "a")
            let isCreatedAgain = try await store.create(Data("two".utf8), at: "a")
            #expect(isCreated && !isCreatedAgain)
            #expect(try mode(directory) == 0o700)
            #expect(try mode(directory + "/a") == 0o600)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["a"])
        }
    }

    @Test("A process that dies before it puts a created record in place leaves no record")
    func createdHalfway() async throws {
        try await withDirectory { directory in
            let store = PreludeFileCredentialStore(directory: directory)
            try store.write(Data("x".utf8), to: "b")
            // The temporary file of a process that died between writing and linking it.
            #expect(FileManager.default.createFile(atPath: directory + "/.new-h4Lf5w", contents: Data("ha".utf8)))
            #expect(try store.read("a") == nil)
            #expect(try await store.create(Data("whole".utf8), at: "a"))
            #expect(try store.read("a") == Data("whole".utf8))
        }
    }

    @Test("A record that cannot be created is unavailable storage, and not a record of another creator")
    func notCreated() async throws {
        try await withDirectory { directory in
            let store = PreludeFileCredentialStore(directory: directory)
            let long = String(repeating: "n", count: 300)
            await #expect(throws: PreludeSessionError.self) { try await store.create(Data("new".utf8), at: long) }
            let files = try FileManager.default.contentsOfDirectory(atPath: directory)
            #expect(files.isEmpty)
        }
    }

    @Test("A read and a delete remove the files of killed processes")
    func abandonedWithoutWrite() async throws {
        try await withDirectory { directory in
            let store = PreludeFileCredentialStore(directory: directory)
            try store.write(Data("x".utf8), to: "a")
            for use in [{ _ = try store.read("a") }, { try store.delete("b") }] {
                #expect(
                    FileManager.default.createFile(atPath: directory + "/.new-h4Lf5w", contents: Data("token".utf8)))
                try use()
                #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["a"])
            }
        }
    }

    @Test("A write removes the files of killed processes, but none that another process is writing")
    func abandoned() async throws {
        try await withDirectory { directory in
            let store = PreludeFileCredentialStore(directory: directory)
            try store.write(Data("x".utf8), to: "localhost:8080.device")
            #expect(FileManager.default.createFile(atPath: directory + "/.new-h4Lf5w", contents: Data("token".utf8)))
            let running = try TemporaryFile(in: directory)
            defer { close(running.descriptor) }
            try store.write(Data("y".utf8), to: "a")
            let isCreated = try await store.create(Data("z".utf8), at: "b")
            #expect(isCreated)
            let name = try #require(running.path.split(separator: "/").last.map(String.init))
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
                    == [name, "a", "b", "localhost_8080.device"])
        }
    }

    @Test("Many writers remove no file of each other")
    func concurrentWriters() async throws {
        try await withDirectory { directory in
            let store = PreludeFileCredentialStore(directory: directory)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<8 {
                    group.addTask { for _ in 0..<40 { try store.write(Data("x".utf8), to: "record\(writer)") } }
                }
                try await group.waitForAll()
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).count == 8)
        }
    }

    @Test("No record has the name of a temporary file or of a directory", arguments: [".new-h4Lf5w", ".", ".."])
    func hiddenNames(name: String) async throws {
        try await withDirectory { directory in
            let store = PreludeFileCredentialStore(directory: directory)
            try store.write(Data("x".utf8), to: name)
            try store.write(Data("y".utf8), to: "a")
            #expect(try store.read(name) == Data("x".utf8))
        }
    }

    @Test("The error of a file that cannot be used names the file and the reason")
    func namedFile() async throws {
        try await withDirectory { directory in
            try FileManager.default.createDirectory(atPath: directory + "/b/c", withIntermediateDirectories: true)
            let error = #expect(throws: PreludeSessionError.self) {
                try PreludeFileCredentialStore(directory: directory).write(Data(), to: "b")
            }
            guard case .storageUnavailable(let text) = error else { return #expect(Bool(false)) }
            #expect(text.text.hasPrefix("cannot replace \(directory)/b: "), "\(text)")
        }
    }

    @Test("The lock admits one caller at a time")
    func lock() async throws {
        try await withDirectory { directory in
            let store = PreludeFileCredentialStore(directory: directory)
            try store.write(Data("0".utf8), to: "count")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        try await store.withLock("count") {
                            let text = String(decoding: try store.read("count") ?? Data(), as: UTF8.self)
                            await Task.yield()
                            try store.write(Data(String((Int(text) ?? 0) + 1).utf8), to: "count")
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try store.read("count") == Data("50".utf8))
        }
    }

    // Proves: E11
    @Test("A session record of a newer version is kept and does not mean signed out")
    func newerVersion() async throws {
        let store = PreludeInMemoryCredentialStore()
        await store.write(Data(#"{"version":2,"anything":true}"#.utf8), to: "localhost:8080.session")
        var configuration = PreludeSessionClient.Configuration()
        configuration.credentialStore = store
        let client = try PreludeSessionClient(configuration: configuration)
        let error = await #expect(throws: PreludeSessionError.self) { try await client.refresh() }
        guard case .storageUnavailable = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(await store.read("localhost:8080.session") != nil)
    }
}
