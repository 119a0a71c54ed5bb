import SessionHTTP
import SessionTokens

/// The path of a page of the console, with its query.
struct ConsolePath: Sendable, Hashable {
    let text: String

    private init(_ text: String) { self.text = text }

    static let home = ConsolePath("/console")
    static let signIn = home / "sign-in"
    static let signOut = home / "sign-out"
    static let apps = home / "apps"
    static let newApp = home / "new-app"
    static let events = home / "events"
    static let mailbox = home / "mailbox"
    static let operators = home / "operators"
    /// What one operator or management key did.
    static let actors = home / "actors"
    static let account = home / "account"
    static let activity = home / "activity"
    static let api = home / "api"

    /// - Returns: `nil` unless the text is a path of the console, without a query, that has one spelling only.
    init?(returning text: String) {
        guard text == Self.home.text || text.hasPrefix(Self.home.text + "/"), CanonicalPath.isCanonical(text) else {
            return nil
        }
        self.init(text)
    }

    /// Adds one segment.
    static func / (path: ConsolePath, segment: String) -> ConsolePath {
        ConsolePath(path.text + "/" + encoded(segment))
    }

    /// Adds a query. Parameters without a value, or with an empty one, are left out.
    func query(_ parameters: KeyValuePairs<String, String?>) -> ConsolePath {
        let pairs = parameters.compactMap { name, value in
            value.flatMap { $0.isEmpty ? nil : Self.encoded(name) + "=" + Self.encoded($0) }
        }
        guard !pairs.isEmpty else { return self }
        return ConsolePath(text + (text.contains("?") ? "&" : "?") + pairs.joined(separator: "&"))
    }

    /// Encodes everything but unreserved characters (RFC 3986 §2.1).
    private static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if URICharacter.isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
