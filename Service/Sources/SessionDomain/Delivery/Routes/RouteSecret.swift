internal import Foundation

/// The password, token or API key of a route, or the file that contains it.
package enum RouteSecret: Sendable, Hashable {
    case value(String)
    /// The path of a file, which is read for each message: another program may renew a token.
    case file(String)

    package static let maximumBytes = 8192

    /// - Throws: `SendingFailure` if the file cannot be read or is empty.
    package func read() throws(SendingFailure) -> String {
        switch self {
        case .value(let secret): return secret
        case .file(let path):
            let data = try Self.content(of: path)
            guard let text = String(textFile: data) else {
                throw SendingFailure(.authentication, "the file with the secret is not UTF-8")
            }
            let secret = text.trimmingCharacters(in: .whitespacesAndNewlines)
            guard Self.isValid(secret) else {
                throw SendingFailure(.authentication, "the file with the secret contains no secret, or several lines")
            }
            return secret
        }
    }

    /// The reason has no path: webhooks of apps receive it.
    private static func content(of path: String) throws(SendingFailure) -> Data {
        func failure(_ reason: String) -> SendingFailure {
            SendingFailure(.authentication, "the file with the secret \(reason)")
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("cannot be read: \(String(cString: strerror(errno)))") }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard let data = try? file.read(upToCount: maximumBytes + 1) ?? Data() else {
            throw failure("cannot be read: it is no file")
        }
        guard data.count <= maximumBytes else { throw failure("has more than \(maximumBytes) bytes") }
        return data
    }

    /// A secret is one line of visible text.
    package static func isValid(_ secret: String) -> Bool {
        (1...maximumBytes).contains(secret.utf8.count) && secret.unicodeScalars.allSatisfy { !$0.breaksHeader }
    }
}

extension RouteSecret: CustomStringConvertible, CustomReflectable {
    /// Without the secret: logs must not contain it.
    package var description: String { "RouteSecret" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
