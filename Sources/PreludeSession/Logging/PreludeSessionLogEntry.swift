internal import Foundation
internal import SessionWire

/// One thing that the SDK did. No entry holds a token, a code, a password, a key or an address of a person.
public struct PreludeSessionLogEntry: Sendable, Hashable {
    /// How much it matters.
    public let level: PreludeSessionLogLevel
    /// A constant text, the same for all entries of its kind.
    public let message: String
    /// What differs from entry to entry.
    public let attributes: [PreludeSessionLogAttribute]
}

/// A detail of an entry.
public struct PreludeSessionLogAttribute: Sendable, Hashable {
    /// Such as `path`, `status`, `request_id`, `session`.
    public let name: String
    /// Whether the value tells one person or device from another, as the ids of users and sessions do.
    public let isIdentifier: Bool
    private let content: String

    private init(name: StaticString, isIdentifier: Bool, content: String) {
        self.name = String(describing: name)
        self.isIdentifier = isIdentifier
        self.content = content
    }

    /// The value, `<redacted>` for an identifier.
    public var value: String { isIdentifier ? "<redacted>" : content }

    /// The value, identifiers included: for a log whose readers may know who is who.
    public var revealedValue: String { content }
}

extension PreludeSessionLogEntry: CustomStringConvertible, CustomReflectable {
    /// Message and attributes on one line, identifiers redacted.
    public var description: String { text(\.value) }

    /// Message and attributes on one line, identifiers included.
    public var revealedDescription: String { text(\.revealedValue) }

    private func text(_ value: (PreludeSessionLogAttribute) -> String) -> String {
        ([message] + attributes.map { "\($0.name)=\(value($0))" }).joined(separator: " ")
    }

    /// Redacted, as `description`.
    public var customMirror: Mirror { Mirror(self, children: ["level": level, "entry": description]) }
}

extension PreludeSessionLogAttribute: CustomStringConvertible, CustomReflectable {
    /// Redacted, as `value`.
    public var description: String { "\(name)=\(value)" }
    public var customMirror: Mirror { Mirror(self, children: [name: value]) }
}

extension PreludeSessionLogAttribute {
    /// A word of the SDK's own.
    static func word(_ name: StaticString, _ value: StaticString) -> Self {
        Self(name: name, isIdentifier: false, content: String(describing: value))
    }

    static func number(_ name: StaticString, _ value: Int) -> Self {
        Self(name: name, isIdentifier: false, content: String(value))
    }

    /// A duration in milliseconds.
    static func milliseconds(_ name: StaticString, _ seconds: TimeInterval) -> Self {
        Self(name: name, isIdentifier: false, content: String(Int((seconds * 1000).rounded())))
    }

    /// A text that is one of a few, such as a path of the protocol; anything that does not look so is left out.
    ///
    /// A server can put what it likes where a code should be, so only what no secret looks like is shown.
    static func term(_ name: StaticString, _ value: String?) -> Self? {
        guard let value, !value.isEmpty, value.utf8.count <= 64,
            value.utf8.allSatisfy({
                (0x61...0x7a).contains($0) || (0x41...0x5a).contains($0) || $0 == 0x5f || $0 == 0x2f
            })
        else { return nil }
        return Self(name: name, isIdentifier: false, content: value)
    }

    static func path(_ path: FrontendPath) -> Self {
        Self(name: "path", isIdentifier: false, content: path.rawValue)
    }

    /// The server's name for a request, which tells its operator more than anybody else.
    static func requestID(_ id: String?) -> Self? {
        id.map { Self(name: "request_id", isIdentifier: false, content: $0) }
    }

    /// What tells one person or device from another.
    static func identifier(_ name: StaticString, _ value: String?) -> Self? {
        value.map { Self(name: name, isIdentifier: true, content: $0) }
    }

    /// The kind of an error, never its text: others than we may have written it.
    static func error(_ error: any Error) -> Self {
        Self(name: "error", isIdentifier: false, content: kind(of: error))
    }

    private static func kind(of error: any Error) -> String {
        switch error {
        case PreludeSessionError.network(let cause):
            return "network(\(PreludeSessionError.kind(of: cause)))"
        case let error as PreludeSessionError:
            return String(String(describing: error).prefix { $0.isLetter })
        case let refusal as ServerRefusal:
            return kind(of: refusal.error)
        default:
            return String(describing: type(of: error))
        }
    }
}
