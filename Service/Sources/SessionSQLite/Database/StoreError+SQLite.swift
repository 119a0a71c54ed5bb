internal import GRDB
internal import SessionDomain

extension StoreError {
    /// Describes an error without the values of a statement, which may be secrets.
    init(_ error: any Error) {
        switch error {
        case let error as StoreError: self = error
        case let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode):
            self = .damaged(error.message ?? "no message")
        case let error as DatabaseError:
            self = .unavailable("SQLite \(error.extendedResultCode.rawValue): \(error.message ?? "no message")")
        case is RowDecodingError: self = .unavailable("a stored row cannot be read")
        default: self = .unavailable("\(type(of: error))")
        }
    }
}
