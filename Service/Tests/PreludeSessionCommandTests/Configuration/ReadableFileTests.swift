import Foundation
import Testing

@testable import prelude_session

/// Runs as any user. Root may read everything, so it gets no obstacle for a forbidden file.
@Suite("Files that settings name")
final class ReadableFileTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func file(_ name: String) -> ReadableFile { ReadableFile(path: folder.appending(path: name).path) }

    @Test("A file is read with its permissions")
    func content() throws {
        let file = file("settings")
        #expect(FileManager.default.createFile(atPath: file.path, contents: Data("{}".utf8)))
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
        let read = try file.read()
        #expect(read.content == Data("{}".utf8) && read.permissions == 0o640)
        #expect(file.obstacle == nil)
    }

    @Test("A missing file, a folder and a pipe are told apart")
    func kinds() throws {
        #expect(throws: ReadableFile.Obstacle.missing) { try file("missing").read() }
        #expect(throws: ReadableFile.Obstacle.missing) { try file("missing/settings").read() }
        #expect(file("missing").obstacle == .missing)
        #expect(throws: ReadableFile.Obstacle.notAFile) { try ReadableFile(path: folder.path).read() }
        let pipe = file("pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        #expect(throws: ReadableFile.Obstacle.notAFile) { try pipe.read() }
    }

    @Test(
        "The text says what to do",
        arguments: [
            (ReadableFile.Obstacle.missing, "a/b does not exist. Create it"),
            (.forbidden(owner: "prelude"), "may not read a/b. Run the command as its owner: sudo -u prelude"),
            (.forbidden(owner: nil), "may not read a/b. Run the command as the user who owns it"),
            (.notAFile, "a/b is not a regular file"), (.other(reason: "I/O error"), "a/b cannot be read: I/O error"),
        ])
    func text(obstacle: ReadableFile.Obstacle, words: String) {
        #expect(obstacle.problem(of: "a/b", ifMissing: "Create it").hasSuffix(words))
    }
}
