import Foundation
import SessionDomain
import SessionSQLite

/// The master keys that an exported database needs.
struct MovedMasterKeys {
    private let ids: [String]
    /// The key file beside an embedded database, if there is one.
    private let file: String?
    /// Whether it has all keys.
    private let isComplete: Bool

    init(of database: DatabaseLocation) {
        guard case .file(let path) = database else {
            (ids, file, isComplete) = ([], nil, false)
            return
        }
        let keys = KeyFile(besideDatabase: path)
        ids = ((try? DatabaseSummary.read(at: path))?.sealingKeyIDs ?? []).sorted()
        file = FileManager.default.fileExists(atPath: keys.path) ? DatabaseLocation.file(keys.path).fullPath : nil
        let known = (try? keys.read())?.map(\.id) ?? []
        isComplete = Set(ids).isSubset(of: known)
    }

    /// What to do with the keys.
    var advice: String {
        let names = ids.isEmpty ? "" : ": \(ids.joined(separator: ", "))"
        let needed = "The service needs the same master keys as before\(names)."
        guard let file else { return needed }
        guard isComplete else {
            return needed + " \(file) does not have them, or cannot be read: find the keys that the service has used."
        }
        return needed + " They are in \(file): copy this file to each node, and name it with `keyFile`."
    }
}
