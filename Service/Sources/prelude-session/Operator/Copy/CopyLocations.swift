import SessionDomain
import SessionPostgres
import SessionSQLite

/// The two databases of a copy: a file and a server.
struct CopyLocations {
    let from: DatabaseLocation
    let to: DatabaseLocation

    init(from: String, to: String) throws {
        (self.from, self.to) = (try Self.read(from, option: "from"), try Self.read(to, option: "to"))
        switch (self.from, self.to) {
        case (.file, .server), (.server, .file): break
        case (.memory, _):
            throw ConfigurationError("from", "must be a file or a server: a database in memory ends with its service")
        case (_, .memory):
            throw ConfigurationError("to", "must be a file or a server: a database in memory ends with this command")
        case (.file, .file):
            throw ConfigurationError(
                "to", "must be postgresql://USER@HOST:PORT/DATABASE. Copy a file with `prelude-session backup create`")
        case (.server, .server):
            throw ConfigurationError("to", "must be sqlite:PATH. Copy PostgreSQL with its own tools, such as pg_dump")
        }
    }

    private static func read(_ text: String, option: String) throws -> DatabaseLocation {
        do {
            return try DatabaseLocation(text)
        } catch {
            throw ConfigurationError(option, error.reason)
        }
    }

    /// - Returns: The source, and the name of its content. A server has none.
    func openSource() throws -> (any CopySource, identity: String?) {
        do {
            switch from {
            case .server(let location): return (try PostgresCopySource(location), nil)
            case .file(let path):
                let source = try SQLiteCopySource(path)
                return (source, try FileDigest.sha256(of: source.path, setting: "from").sha256)
            case .memory: throw StoreError.missing
            }
        } catch let error as StoreError {
            throw ConfigurationError("from", "\(from.fullPath) \(CopyProblem(ofSource: error).text)")
        } catch let error as CopyError {
            throw ConfigurationError("from", "\(from.fullPath) \(CopyProblem(error).text)")
        }
    }

    func openTarget() throws -> any CopyTarget {
        do {
            switch to {
            case .server(let location): return try PostgresCopyTarget(location)
            case .file(let path): return try SQLiteCopyTarget(path)
            case .memory: throw StoreError.missing
            }
        } catch let error as StoreError {
            throw ConfigurationError("to", "\(to.fullPath) \(CopyProblem(ofTarget: error).text)")
        }
    }

    /// Turns failures of a copy into errors for operators.
    func explained<Answer>(_ work: () throws -> Answer) throws -> Answer {
        do {
            return try work()
        } catch CopyError.unreadable(let error) {
            throw ConfigurationError("from", "\(from.fullPath) \(CopyProblem(ofSource: error).text)")
        } catch let error as CopyError {
            throw ConfigurationError("to", "\(to.fullPath) \(CopyProblem(error).text)")
        } catch let error as StoreError {
            throw ConfigurationError("to", "\(to.fullPath) \(CopyProblem(ofTarget: error).text)\(advice(after: error))")
        }
    }

    /// Another attempt helps only against failures that end.
    private func advice(after error: StoreError) -> String {
        guard case .unavailable = error else { return "" }
        if case .server = to { return ". When the cause is gone, run the same command again: it continues" }
        return ". When the cause is gone, run the same command again: it begins again"
    }
}
