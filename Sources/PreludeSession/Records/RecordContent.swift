internal import Foundation

/// What the bytes of a record mean to this version of the SDK. All version checks happen here.
enum RecordContent<Record: VersionedRecord>: Sendable {
    case valid(Record)
    /// Written by a newer version of the SDK. Never replace or delete it on your own.
    case newerVersion
    /// Damaged, or not a record of this kind.
    case invalid

    private struct Version: Decodable { let version: Int }

    init(_ data: Data) {
        let decoder = JSONDecoder()
        if Record.dateFormat == .unixTime { decoder.dateDecodingStrategy = .secondsSince1970 }
        // The version first: a newer record may have another shape.
        guard let version = (try? decoder.decode(Version.self, from: data))?.version, version > 0 else {
            self = .invalid
            return
        }
        guard version <= Record.currentVersion else {
            self = .newerVersion
            return
        }
        self = (try? decoder.decode(Record.self, from: data)).map(Self.valid) ?? .invalid
    }

    var isNewerVersion: Bool { if case .newerVersion = self { true } else { false } }

    /// The record.
    ///
    /// - Throws: `.storageUnavailable` for a newer version, because the record may still be valid; `error` for a damaged
    ///   record.
    func record(orThrow error: PreludeSessionError) throws -> Record {
        switch self {
        case .valid(let record): return record
        case .newerVersion: throw Self.newerVersionError
        case .invalid: throw error
        }
    }

    /// The record, or a new one in place of a damaged record.
    ///
    /// - Throws: `.storageUnavailable` for a newer version.
    func record(replacingInvalid new: Record) throws -> Record {
        switch self {
        case .valid(let record): return record
        case .newerVersion: throw Self.newerVersionError
        case .invalid: return new
        }
    }

    private static var newerVersionError: PreludeSessionError {
        .storageUnavailable(
            "the record \(Record.recordName.rawValue) was written by a newer version of the SDK; update the app")
    }
}
