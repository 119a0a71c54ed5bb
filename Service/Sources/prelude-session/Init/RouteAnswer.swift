import Foundation
import SessionDomain

/// Checks answers about a route as soon as they are typed.
enum RouteAnswer {
    static func checked(_ text: String, as field: RouteField, of kind: RouteSettings.Kind) throws -> String {
        if let problem = RouteSettings.problem(with: text, as: field, of: kind) { throw problem }
        return text
    }

    static func one<Value: CaseIterable & RawRepresentable>(of type: Value.Type, _ text: String) throws -> Value
    where Value.RawValue == String {
        guard let value = Value(rawValue: text.lowercased()) else {
            let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationProblem("must be one of \(names)")
        }
        return value
    }

    static func port(_ text: String) throws -> String {
        guard let port = Int(text), (1...65535).contains(port) else {
            throw ValidationProblem("must be a number from 1 to 65535")
        }
        return String(port)
    }

    /// Returns the absolute path of a file that contains a secret.
    static func secretFile(_ path: String) throws -> String {
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw ValidationProblem(
                "\(path.escapedForTerminal) does not exist or cannot be read by this user. Write the secret into it, mode "
                    + "0600")
        }
        _ = try RouteSecret.file(path).read()
        return try path.checkedPath()
    }
}

extension String {
    /// The path from the root of the file system. A relative one would depend on the folder in which the service starts.
    ///
    /// - Throws: `ValidationProblem` for characters that a settings file cannot show.
    func checkedPath() throws -> String {
        guard !isEmpty, escapedForTerminal == self else {
            throw ValidationProblem("must be a path, without line breaks and control characters")
        }
        return URL(fileURLWithPath: self).standardizedFileURL.path
    }
}
