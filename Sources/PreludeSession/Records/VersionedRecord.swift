internal import Foundation

/// A stored value with a version, encoded as JSON.
///
/// Add a member only as an optional. For any other change raise `currentVersion` and decode the older versions too.
protocol VersionedRecord: Codable, Sendable {
    /// Where the record is stored.
    static var recordName: RecordName { get }
    /// The version that this SDK writes.
    static var currentVersion: Int { get }
    /// How the record's dates are encoded.
    static var dateFormat: RecordDateFormat { get }
    /// The version of the SDK's record format that wrote this record.
    var version: Int { get }
}

/// How a record encodes dates. Each record keeps the format of its first version.
enum RecordDateFormat: Sendable {
    /// Seconds since 2001-01-01, the default of `Codable`.
    case referenceDate
    /// Seconds since 1970-01-01.
    case unixTime
}

extension VersionedRecord {
    static var currentVersion: Int { 1 }
    static var dateFormat: RecordDateFormat { .referenceDate }

    /// The bytes to store.
    func encoded() throws -> Data {
        let encoder = JSONEncoder()
        if Self.dateFormat == .unixTime { encoder.dateEncodingStrategy = .secondsSince1970 }
        return try encoder.encode(self)
    }
}
