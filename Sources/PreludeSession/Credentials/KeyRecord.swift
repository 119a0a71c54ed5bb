internal import Foundation

/// Reads records of device keys, of whatever kind the key is.
enum KeyRecord {
    private struct Versioned: Decodable { let version: Int }

    static let lost = PreludeSessionError.deviceKeyLost(
        "the device key's record cannot be understood; sign in again")

    /// - Throws: `storageUnavailable` for a record of a newer version, which is left alone; `deviceKeyLost` for one that
    ///   is none, in whose place a login makes a new key.
    static func decode<Record: Decodable>(_ type: Record.Type, from data: Data) throws -> Record {
        let decoder = JSONDecoder()
        guard let version = try? decoder.decode(Versioned.self, from: data).version else { throw lost }
        guard version == 1 else {
            throw PreludeSessionError.storageUnavailable("the device key's record is of a newer version of the SDK")
        }
        guard let record = try? decoder.decode(type, from: data) else { throw lost }
        return record
    }
}
