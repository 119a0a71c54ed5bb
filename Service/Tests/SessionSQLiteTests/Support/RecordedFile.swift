internal import GRDBSQLite

@testable internal import SessionSQLite

/// A log over a file that only records what it is asked for.
final class RecordedFile {
    enum Call: Equatable {
        case write(at: Int, [UInt8])
        case read, sync, close
    }

    /// The file of the system.
    private struct System {
        var file = sqlite3_file()
        let record: Unmanaged<RecordedFile>
    }

    private(set) var calls: [Call] = []
    /// What writes return.
    var writeCode = SQLITE_OK
    let file: SQLiteFile

    init() {
        let size = LogFile.size + MemoryLayout<System>.stride
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        file = memory.assumingMemoryBound(to: sqlite3_file.self)
        let code = LogFile.open(file) { system in
            UnsafeMutableRawPointer(system).initializeMemory(
                as: System.self, to: System(record: Unmanaged.passUnretained(self)))
            system.pointee.pMethods = Self.functions
            return SQLITE_OK
        }
        precondition(code == SQLITE_OK)
    }

    deinit { UnsafeMutableRawPointer(file).deallocate() }

    var log: UnsafeMutablePointer<LogFile>? { LogFile.of(file) }

    func write(_ bytes: [UInt8], at place: Int) -> CInt {
        file.pointee.pMethods.pointee.xWrite(file, bytes, CInt(bytes.count), sqlite3_int64(place))
    }

    func read() -> CInt {
        var byte: UInt8 = 0
        return file.pointee.pMethods.pointee.xRead(file, &byte, 1, 0)
    }

    func sync() -> CInt { file.pointee.pMethods.pointee.xSync(file, SQLITE_SYNC_NORMAL) }

    func sectorSize() -> CInt { file.pointee.pMethods.pointee.xSectorSize(file) }

    func close() -> CInt { file.pointee.pMethods.pointee.xClose(file) }

    /// The written bytes, in the order of the writes.
    var written: [UInt8] {
        calls.flatMap { call in
            if case .write(_, let bytes) = call { bytes } else { [UInt8]() }
        }
    }

    private static func record(of system: SQLiteFile?) -> RecordedFile {
        guard let system else { preconditionFailure("SQLite names a file") }
        return UnsafeMutableRawPointer(system).assumingMemoryBound(to: System.self).pointee.record.takeUnretainedValue()
    }

    private static var functions: UnsafePointer<sqlite3_io_methods>? { UnsafePointer(bitPattern: functionsAddress) }

    private static let functionsAddress: UInt = {
        let functions = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        functions.initialize(to: sqlite3_io_methods())
        functions.pointee.iVersion = 1
        functions.pointee.xWrite = { file, bytes, length, place in
            let record = RecordedFile.record(of: file)
            let bytes = [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(length)))
            record.calls.append(.write(at: Int(place), bytes))
            return record.writeCode
        }
        functions.pointee.xRead = { file, _, _, _ in
            RecordedFile.record(of: file).calls.append(.read)
            return SQLITE_OK
        }
        functions.pointee.xSync = { file, _ in
            RecordedFile.record(of: file).calls.append(.sync)
            return SQLITE_OK
        }
        functions.pointee.xSectorSize = { _ in 512 }
        functions.pointee.xClose = { file in
            RecordedFile.record(of: file).calls.append(.close)
            return SQLITE_OK
        }
        return UInt(bitPattern: functions)
    }()
}
