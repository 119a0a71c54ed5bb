internal import Foundation
internal import SessionDomain

/// Resolves a path for a process of root, step by step.
///
/// The service's user can put a symbolic link in place of its database, or of a directory of its own. A command of root
/// would then change the file that the link names. So root follows only links that belong to root.
struct ResolvedPath {
    private static let maximumLinks = 32

    private(set) var text = "/"
    private var rest: [Substring]
    private var links = 0

    /// - Throws: `StoreError.unavailable` for a link of another user, and for a circle of links.
    init(_ path: String) throws {
        let absolute = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        rest = Self.names(of: absolute)
        while let name = rest.popLast() {
            switch name {
            case ".": continue
            case "..": text = (text as NSString).deletingLastPathComponent
            default: try append((text as NSString).appendingPathComponent(String(name)))
            }
        }
    }

    private mutating func append(_ path: String) throws {
        var found = stat()
        guard lstat(path, &found) == 0, found.isSymbolicLink else {
            text = path
            return
        }
        guard found.st_uid == 0 else {
            throw StoreError.unavailable(
                "\(path) is a symbolic link that does not belong to root, so root does not follow it. Name the file "
                    + "itself, or run the command as the user of the service")
        }
        links += 1
        guard links <= Self.maximumLinks else { throw StoreError.unavailable("\(path) is a circle of links") }
        let target = try FileManager.default.destinationOfSymbolicLink(atPath: path)
        if target.hasPrefix("/") { text = "/" }
        rest += Self.names(of: target)
    }

    /// The names of a path, the first one last.
    private static func names(of path: String) -> [Substring] { path.split(separator: "/").reversed() }
}
