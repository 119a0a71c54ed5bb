internal import GRDBSQLite

/// The log of a connection: a layer over the system's file. SQLite owns the memory of both, this one first.
///
/// What a commit writes waits here until its last page, and not longer, because SQLite then tells other connections of the
/// pages. What a failed commit wrote is never written later: another process may have written to the same place since. Pages
/// that SQLite writes before the commit, because it has no memory for them, do not wait.
struct LogFile {
    /// SQLite reads this field, so it is the first one.
    private var file = sqlite3_file()
    private var waiting: UnsafeMutableRawPointer?
    private var count = 0
    /// Where the waiting bytes belong.
    private var start: sqlite3_int64 = 0
    /// Whether the next piece is the content of the last page.
    private var isLastPage = false
    private var isCommitting = false
    /// The end of what the commit has written so far.
    private var end: sqlite3_int64 = 0

    /// SQLite's functions write at most 128 KB at once.
    private static let capacity = 120 * 1024
    /// The header of a page, and its field that is zero unless the page is the last one of a commit (SQLite: "WAL-mode File
    /// Format", "The WAL File Format").
    private static let header = 24, commitField = 4

    /// The bytes before the system's file.
    static let size = (MemoryLayout<LogFile>.stride + 15) & ~15
}

/// A file of SQLite, which may have this layer.
typealias SQLiteFile = UnsafeMutablePointer<sqlite3_file>

extension LogFile {
    /// Opens a log.
    ///
    /// - Parameters:
    ///   - file: The memory of the file.
    ///   - openSystem: Opens the system's file in the memory that it gets.
    static func open(_ file: SQLiteFile, _ openSystem: (SQLiteFile) -> CInt) -> CInt {
        UnsafeMutableRawPointer(file).initializeMemory(as: LogFile.self, to: LogFile())
        let system = system(of: file)
        system.pointee.pMethods = nil
        let code = openSystem(system)
        // SQLite closes a file that has functions, also if it was not opened.
        if system.pointee.pMethods != nil { file.pointee.pMethods = functions }
        return code
    }

    /// The log, if the file is one with this layer.
    static func of(_ file: SQLiteFile) -> UnsafeMutablePointer<LogFile>? {
        file.pointee.pMethods == functions ? state(of: file) : nil
    }

    private static func state(of file: SQLiteFile) -> UnsafeMutablePointer<LogFile> {
        UnsafeMutableRawPointer(file).assumingMemoryBound(to: LogFile.self)
    }

    private static func system(of file: SQLiteFile) -> SQLiteFile {
        (UnsafeMutableRawPointer(file) + size).assumingMemoryBound(to: sqlite3_file.self)
    }

    /// Lets the pieces of a commit wait.
    mutating func beginCommit() { (isCommitting, isLastPage, end) = (true, false, 0) }

    /// Ends a commit. What a failed one wrote is forgotten.
    static func endCommit(of log: UnsafeMutablePointer<LogFile>, hasFailed: Bool) -> CInt {
        log.pointee.isCommitting = false
        if hasFailed { log.pointee.count = 0 }
        return passOn(UnsafeMutableRawPointer(log).assumingMemoryBound(to: sqlite3_file.self))
    }

    /// Gives the system what waits.
    private static func passOn(_ file: SQLiteFile) -> CInt {
        let log = state(of: file)
        let system = system(of: file)
        guard log.pointee.count > 0 else { return SQLITE_OK }
        defer { log.pointee.count = 0 }
        return system.pointee.pMethods.pointee.xWrite(
            system, log.pointee.waiting, CInt(log.pointee.count), log.pointee.start)
    }

    /// Gives the system what waits, and then calls one of its functions.
    private static func after(
        _ file: SQLiteFile?, _ call: (sqlite3_io_methods, SQLiteFile) -> CInt
    ) -> CInt {
        guard let file else { return SQLITE_MISUSE }
        let code = passOn(file)
        let system = system(of: file)
        return code == SQLITE_OK ? call(system.pointee.pMethods.pointee, system) : code
    }

    /// Calls a function of the system that concerns no bytes.
    private static func asked(_ file: SQLiteFile?, _ call: (sqlite3_io_methods, SQLiteFile) -> CInt) -> CInt {
        guard let file else { return SQLITE_MISUSE }
        let system = system(of: file)
        return call(system.pointee.pMethods.pointee, system)
    }

    private static func write(_ file: SQLiteFile, _ bytes: UnsafeRawPointer, _ length: Int, at place: sqlite3_int64)
        -> CInt
    {
        let log = state(of: file)
        // After the last page, SQLite may correct headers that it has written before.
        guard log.pointee.isCommitting, length <= capacity, place >= log.pointee.end else {
            return after(file) { $0.xWrite($1, bytes, CInt(length), place) }
        }
        let waiting = log.pointee.waiting ?? .allocate(byteCount: capacity, alignment: 16)
        log.pointee.waiting = waiting
        if place != log.pointee.start + sqlite3_int64(log.pointee.count) || log.pointee.count + length > capacity {
            let code = passOn(file)
            guard code == SQLITE_OK else { return code }
        }
        if log.pointee.count == 0 { log.pointee.start = place }
        (waiting + log.pointee.count).copyMemory(from: bytes, byteCount: length)
        log.pointee.count += length
        log.pointee.end = place + sqlite3_int64(length)
        if length == header {
            log.pointee.isLastPage = bytes.loadUnaligned(fromByteOffset: commitField, as: UInt32.self) != 0
            return SQLITE_OK
        }
        return log.pointee.isLastPage ? passOn(file) : SQLITE_OK
    }

    private static func close(_ file: SQLiteFile) -> CInt {
        let code = passOn(file)
        let system = system(of: file)
        state(of: file).pointee.waiting?.deallocate()
        let closed = system.pointee.pMethods.pointee.xClose(system)
        return code == SQLITE_OK ? closed : code
    }

    private static var functions: UnsafePointer<sqlite3_io_methods>? { UnsafePointer(bitPattern: functionsAddress) }

    private static let functionsAddress: UInt = {
        let functions = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        functions.initialize(to: sqlite3_io_methods())
        // Later versions add functions for memory that processes share, which a log has not.
        functions.pointee.iVersion = 1
        functions.pointee.xClose = { $0.map(LogFile.close) ?? SQLITE_MISUSE }
        functions.pointee.xRead = { file, bytes, length, place in
            LogFile.after(file) { $0.xRead($1, bytes, length, place) }
        }
        functions.pointee.xWrite = { file, bytes, length, place in
            guard let file, let bytes else { return SQLITE_MISUSE }
            return LogFile.write(file, bytes, Int(length), at: place)
        }
        functions.pointee.xTruncate = { file, length in LogFile.after(file) { $0.xTruncate($1, length) } }
        functions.pointee.xSync = { file, flags in LogFile.after(file) { $0.xSync($1, flags) } }
        functions.pointee.xFileSize = { file, length in LogFile.after(file) { $0.xFileSize($1, length) } }
        functions.pointee.xLock = { file, level in LogFile.asked(file) { $0.xLock($1, level) } }
        functions.pointee.xUnlock = { file, level in LogFile.asked(file) { $0.xUnlock($1, level) } }
        functions.pointee.xCheckReservedLock = { file, result in
            LogFile.asked(file) { $0.xCheckReservedLock($1, result) }
        }
        functions.pointee.xFileControl = { file, code, value in LogFile.after(file) { $0.xFileControl($1, code, value) }
        }
        // These two return no code for errors.
        functions.pointee.xSectorSize = { file in LogFile.asked(file) { $0.xSectorSize($1) } }
        functions.pointee.xDeviceCharacteristics = { file in LogFile.asked(file) { $0.xDeviceCharacteristics($1) } }
        return UInt(bitPattern: functions)
    }()
}
