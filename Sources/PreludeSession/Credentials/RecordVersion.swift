internal import Foundation

/// What all records have in common, of whatever version of the SDK they are.
struct RecordVersion: Decodable {
    private let version: Int

    /// Whether a record is of a version that is not known here yet, so that it is not ours to replace.
    static func isNewer(than version: Int, _ data: Data) -> Bool {
        ((try? JSONDecoder().decode(RecordVersion.self, from: data))?.version ?? 0) > version
    }
}
