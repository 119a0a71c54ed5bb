import Foundation
import Testing

@testable import SessionSQLite

@Suite("The status of a file")
struct FileStatusTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("A name and a descriptor of the same file have the same identity, also after it was renamed and deleted")
    func identity() throws {
        let (path, renamed) = (directory.path("file"), directory.path("renamed"))
        try Data("twelve bytes".utf8).write(to: URL(fileURLWithPath: path))
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        let found = try #require(FileStatus(path: path))
        #expect(found.size == 12 && found.links == 1)
        #expect(found.identity == FileIdentity(descriptor: descriptor))
        try FileManager.default.moveItem(atPath: path, toPath: renamed)
        #expect(FileStatus(path: path) == nil)
        #expect(FileIdentity(path: renamed) == found.identity)
        try Data("twelve bytes".utf8).write(to: URL(fileURLWithPath: path))
        #expect(FileIdentity(path: path) != found.identity)
        try FileManager.default.removeItem(atPath: renamed)
        #expect(FileStatus(descriptor: descriptor)?.links == 0)
    }

    @Test("A descriptor that is not open has no status")
    func closed() { #expect(FileStatus(descriptor: -1) == nil) }
}
