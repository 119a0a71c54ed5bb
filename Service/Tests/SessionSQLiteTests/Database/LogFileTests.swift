internal import GRDBSQLite
internal import Testing

@testable internal import SessionSQLite

@Suite("Writes of a commit to the log wait for its last page")
struct LogFileTests {
    private static let page = 4096
    private let file = RecordedFile()

    /// The header and the content of a page.
    private func pieces(_ number: UInt8, isLast: Bool) -> [[UInt8]] {
        var header = [UInt8](repeating: number, count: 24)
        header.replaceSubrange(4..<8, with: isLast ? [0, 0, 1, 0] : [0, 0, 0, 0])
        return [header, [UInt8](repeating: number, count: Self.page)]
    }

    /// Writes pages as SQLite does, and returns their bytes.
    private func write(_ pages: Int, at place: Int, endsCommit: Bool = true) -> [UInt8] {
        var all: [UInt8] = []
        for number in 0..<pages {
            for piece in pieces(UInt8(number), isLast: endsCommit && number == pages - 1) {
                #expect(file.write(piece, at: place + all.count) == SQLITE_OK)
                all += piece
            }
        }
        return all
    }

    private func log() throws -> UnsafeMutablePointer<LogFile> { try #require(file.log) }

    @Test("The pages of a commit are one write, which is done before the sync")
    func joined() throws {
        for place in [32, 90_000] {
            try log().pointee.beginCommit()
            let bytes = write(5, at: place)
            #expect(file.calls.last == .write(at: place, bytes))
            #expect(file.sync() == SQLITE_OK)
            #expect(LogFile.endCommit(of: try log(), hasFailed: false) == SQLITE_OK)
            #expect(file.calls.suffix(2) == [.write(at: place, bytes), .sync])
        }
        #expect(file.calls.count == 4)
    }

    @Test("Outside of a commit, each piece is written at once")
    func outside() throws {
        _ = write(2, at: 32, endsCommit: false)
        #expect(file.calls.count == 4)
        try log().pointee.beginCommit()
        #expect(LogFile.endCommit(of: try log(), hasFailed: false) == SQLITE_OK)
        _ = write(1, at: 9000)
        #expect(file.calls.count == 6)
    }

    @Test("A commit that needs more memory than there is for it is written in parts, in order")
    func long() throws {
        try log().pointee.beginCommit()
        let bytes = write(100, at: 32)
        #expect(file.written == bytes)
        #expect((4...6).contains(file.calls.count))
        var place = 32
        for case .write(let at, let part) in file.calls {
            #expect(at == place)
            // SQLite's function writes no more at once, and none of exactly 128 KB.
            #expect(part.count < 128 * 1024)
            place += part.count
        }
    }

    @Test("What a failed commit collected is never written")
    func failed() throws {
        try log().pointee.beginCommit()
        _ = write(3, at: 32, endsCommit: false)
        #expect(LogFile.endCommit(of: try log(), hasFailed: true) == SQLITE_OK)
        #expect(file.sync() == SQLITE_OK && file.read() == SQLITE_OK)
        try log().pointee.beginCommit()
        let bytes = write(1, at: 32)
        #expect(file.calls == [.sync, .read, .write(at: 32, bytes)])
    }

    @Test(
        "A write that the system rejects is the error of the commit, and is not repeated",
        arguments: [SQLITE_FULL, 778])
    func rejected(code: CInt) throws {
        file.writeCode = code
        try log().pointee.beginCommit()
        let (header, content) = (pieces(1, isLast: true)[0], pieces(1, isLast: true)[1])
        #expect(file.write(header, at: 32) == SQLITE_OK)
        #expect(file.write(content, at: 56) == code)
        #expect(LogFile.endCommit(of: try log(), hasFailed: true) == SQLITE_OK)
        #expect(file.sync() == SQLITE_OK)
        #expect(file.calls == [.write(at: 32, header + content), .sync])
    }

    @Test("SQLite reads, syncs and overwrites what waits")
    func order() throws {
        try log().pointee.beginCommit()
        let bytes = write(2, at: 32, endsCommit: false)
        #expect(file.read() == SQLITE_OK)
        #expect(file.calls == [.write(at: 32, bytes), .read])
        let header = pieces(9, isLast: false)[0]
        #expect(file.write(header, at: 32 + bytes.count) == SQLITE_OK)
        // SQLite writes headers again when a page changes twice in one transaction.
        let changed = pieces(7, isLast: true)[0]
        #expect(file.write(changed, at: 32) == SQLITE_OK)
        // It does not wait: in a mode without syncs, nothing would come after it before others see the commit.
        #expect(file.calls.last == .write(at: 32, changed))
        #expect(file.sync() == SQLITE_OK)
        #expect(
            file.calls.suffix(3) == [.write(at: 32 + bytes.count, header), .write(at: 32, changed), .sync])
    }

    @Test("A number that the system returns is no code of a write")
    func number() throws {
        file.writeCode = SQLITE_FULL
        try log().pointee.beginCommit()
        _ = write(1, at: 32, endsCommit: false)
        #expect(file.sectorSize() == 512)
        #expect(file.calls.isEmpty)
    }

    @Test("A close writes what waits, and closes the file of the system")
    func closed() throws {
        try log().pointee.beginCommit()
        let bytes = write(1, at: 32, endsCommit: false)
        #expect(file.close() == SQLITE_OK)
        #expect(file.calls == [.write(at: 32, bytes), .close])
    }

    @Test("A file that cannot be opened has no functions, so SQLite does not close it")
    func unopened() {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: LogFile.size + 64, alignment: 16)
        defer { memory.deallocate() }
        let file = memory.assumingMemoryBound(to: sqlite3_file.self)
        #expect(LogFile.open(file) { _ in SQLITE_CANTOPEN } == SQLITE_CANTOPEN)
        #expect(file.pointee.pMethods == nil)
        #expect(LogFile.of(file) == nil)
    }
}
