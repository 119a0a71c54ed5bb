internal import SessionDomain

extension PostgresConnection {
    /// Milliseconds that the server may take for one step. It may have to sort or write much at once.
    private static let patienceOfExports = 600_000

    /// A connection without the limits of requests.
    static func forExport(_ location: PostgresLocation) throws(StoreError) -> PostgresConnection {
        do {
            return try PostgresServer(location: location, patience: patienceOfExports, isUnhurried: true).connect()
        } catch {
            throw StoreError(error)
        }
    }
}

extension Migration {
    /// - Throws: `StoreError.newerSchema` or `StoreError.olderSchema` for another schema than that of this version.
    static func check(_ schema: Int) throws {
        if schema > supported { throw StoreError.newerSchema(found: schema, supported: supported) }
        if schema < supported { throw StoreError.olderSchema(found: schema, supported: supported) }
    }
}

/// Runs a step of an export or an import, and describes failures of the server without values of rows.
func explained<Answer>(_ work: () throws -> Answer) throws -> Answer {
    do {
        return try work()
    } catch let failure as PostgresFailure {
        throw failure.kind == .refused(.stale) ? ImportError.overtaken : StoreError(failure)
    }
}
