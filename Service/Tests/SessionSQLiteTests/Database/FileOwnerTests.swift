internal import Foundation
internal import SessionDomain
internal import Testing

@testable internal import SessionSQLite

/// Tests that have files of several users run as root only, as in a container.
@Suite("Files of root in the directory of another user")
struct FileOwnerTests {
    /// Another user than root. No account is needed.
    private static let stranger: UInt32 = 65534
    private static let isRoot = geteuid() == 0

    private let directory: TemporaryDirectory
    private var path: String { directory.path("session.sqlite") }

    init() throws {
        directory = try TemporaryDirectory()
        if Self.isRoot { try Self.give(directory.url.path) }
    }

    /// Gives a file or a link to the stranger.
    private static func give(_ path: String) throws { try #require(lchown(path, stranger, stranger) == 0) }

    private func owner(of path: String) throws -> UInt32 {
        var found = stat()
        try #require(lstat(path, &found) == 0)
        return found.st_uid
    }

    private func link(to target: String) throws -> String {
        let link = directory.path("link.sqlite")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        return link
    }

    @Test("A lock that root creates belongs to the owner of the database", .enabled(if: isRoot))
    func newLock() throws {
        try DatabaseLock(path, .shared).release()
        #expect(try owner(of: path + ".lock") == Self.stranger)
    }

    // Proves: B3
    @Test("A file of root that is already there under the name of the lock stays root's", .enabled(if: isRoot))
    func existingLock() throws {
        try Data().write(to: URL(fileURLWithPath: path + ".lock"))
        try DatabaseLock(path, .shared).release()
        #expect(try owner(of: path + ".lock") == 0)
    }

    @Test("A link or a pipe under the name of the lock is not followed")
    func linkedLock() throws {
        let target = directory.path("target")
        try Data().write(to: URL(fileURLWithPath: target))
        try FileManager.default.createSymbolicLink(atPath: path + ".lock", withDestinationPath: target)
        let before = try owner(of: target)
        #expect(throws: StoreError.self) { try DatabaseLock(path, .shared) }
        #expect(try owner(of: target) == before)
    }

    // Proves: B3
    @Test("Root does not follow a link of another user to a database, nor to its directory", .enabled(if: isRoot))
    func foreignLink() throws {
        let target = directory.path("target")
        try Data("root only".utf8).write(to: URL(fileURLWithPath: target))
        let link = try link(to: target)
        try Self.give(link)
        for path in [link, try self.link(inDirectory: "sub") + "/session.sqlite"] {
            #expect(throws: StoreError.self) { try DatabaseFile.resolved(path) }
            #expect(throws: StoreError.self) { try DatabaseReplacement(of: path) }
            #expect(throws: StoreError.self) { try SQLiteStore.open(.file(path)) }
        }
        #expect(FileManager.default.contents(atPath: target) == Data("root only".utf8))
    }

    private func link(inDirectory name: String) throws -> String {
        let path = directory.path(name)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: directory.url.path)
        try Self.give(path)
        return path
    }

    @Test("Root follows its own links, relative or not", .enabled(if: isRoot), arguments: [true, false])
    func ownLink(isRelative: Bool) throws {
        let real = try DatabaseFile.resolved(directory.url.path) + "/session.sqlite"
        #expect(try DatabaseFile.resolved(link(to: isRelative ? "./x/../session.sqlite" : path)) == real)
    }

    @Test("A circle of links is an error")
    func circle() throws {
        let path = try link(to: directory.path("link.sqlite"))
        #expect(throws: StoreError.self) { try DatabaseFile.resolved(path, isRoot: true) }
    }

    @Test("A file gets the owner of the file beside it, else of the directory", .enabled(if: isRoot))
    func beside() throws {
        let file = directory.path("keys")
        #expect(FileOwner(beside: file)?.user == Self.stranger)
        try Data().write(to: URL(fileURLWithPath: file))
        #expect(FileOwner(beside: file)?.user == 0)
        try DurableFile.create(directory.path("created"), Data(), owner: FileOwner(beside: path))
        try DurableFile.copy(file, to: directory.path("copied"), owner: FileOwner(beside: path))
        for name in ["created", "copied"] { #expect(try owner(of: directory.path(name)) == Self.stranger) }
    }

    // Proves: B3
    @Test("A link of another user does not choose the owner", .enabled(if: isRoot))
    func linkedOwner() throws {
        let target = directory.path("target")
        try Data().write(to: URL(fileURLWithPath: target))
        let link = try link(to: target)
        #expect(FileOwner(beside: link)?.user == 0)
        try Self.give(link)
        #expect(FileOwner(beside: link)?.user == Self.stranger)
    }

    @Test("Other users than root give no files away")
    func noRoot() { #expect(FileOwner(beside: path, isRoot: false) == nil) }
}
