internal import Foundation
internal import SessionTokens
internal import SessionWire

/// One log entry. It never contains a token, a code, a password, a key, an e-mail address or a phone number.
public struct PreludeSessionLogEntry: Sendable, Hashable {
    /// The severity.
    public let level: PreludeSessionLogLevel
    /// A constant text, the same for all entries of one kind.
    public let message: String
    /// The variable parts.
    public let attributes: [PreludeSessionLogAttribute]
}

/// A name and a value of a log entry.
public struct PreludeSessionLogAttribute: Sendable, Hashable {
    /// The name, such as `path`, `status`, `request_id` or `session`.
    public let name: String
    /// Whether the value identifies a user or a device, such as the ids of users and sessions.
    public let isIdentifier: Bool
    private let content: String

    private init(name: StaticString, isIdentifier: Bool, content: String) {
        self.name = String(describing: name)
        self.isIdentifier = isIdentifier
        self.content = content
    }

    /// The value; `<redacted>` for an identifier.
    public var value: String { isIdentifier ? "<redacted>" : content }

    /// The value, identifiers included. Only for logs whose readers may identify users.
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
    /// A constant of the SDK.
    static func word(_ name: StaticString, _ value: StaticString) -> Self {
        Self(name: name, isIdentifier: false, content: String(describing: value))
    }

    static func number(_ name: StaticString, _ value: some BinaryInteger) -> Self {
        Self(name: name, isIdentifier: false, content: String(value))
    }

    /// A duration in milliseconds.
    static func milliseconds(_ name: StaticString, _ seconds: TimeInterval) -> Self {
        Self(name: name, isIdentifier: false, content: String(Int64((seconds * 1000).rounded())))
    }

    /// A protocol value, such as an error code. `nil` if the text has another form.
    ///
    /// A server can send any text as a code, so a text that could be a secret is not logged.
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

    /// A URL without query. Its path is shown only if it is that of the call: another server could send any text there.
    static func url(_ name: StaticString, _ url: TargetURI?, path: FrontendPath? = nil) -> Self? {
        url.map { url in
            let isShown = path.map { url.path == $0.rawValue } ?? true
            return Self(name: name, isIdentifier: false, content: isShown ? url.absoluteString : url.origin + "/…")
        }
    }

    /// The server's id of a request, to find it in the server's log.
    static func requestID(_ id: String?) -> Self? {
        id.map { Self(name: "request_id", isIdentifier: false, content: $0) }
    }

    /// A value that identifies a user or a device.
    static func identifier(_ name: StaticString, _ value: String?) -> Self? {
        value.map { Self(name: name, isIdentifier: true, content: $0) }
    }

    /// The case or type of an error, never its text: the text may come from outside the SDK.
    static func error(_ error: any Error) -> Self {
        Self(name: "error", isIdentifier: false, content: kind(of: error))
    }

    private static func kind(of error: any Error) -> String {
        switch error {
        case PreludeSessionError.network(let cause):
            return "network(\(PreludeSessionError.summary(of: cause)))"
        case let error as PreludeSessionError:
            return String(String(describing: error).prefix { $0.isLetter })
        case let response as ErrorResponse:
            return kind(of: response.error)
        default:
            return String(describing: type(of: error))
        }
    }
}

/// Receives the log entries of the SDK. A client without a handler logs nothing.
///
/// The SDK calls it from many tasks at once and waits for it, so it should return quickly.
public protocol PreludeSessionLogHandler: Sendable {
    /// Receives one entry.
    func log(_ entry: PreludeSessionLogEntry)
}

/// The severity of a log entry, lowest first.
public enum PreludeSessionLogLevel: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// Requests and decisions.
    case debug
    /// Changes of the session: signed in, refreshed, signed out.
    case info
    /// Failures that are retried or can be: no network, a failing credential store, a failing service.
    case warning

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// The SDK's log. It passes entries to the app's handler, if there is one.
struct SessionLog: Sendable {
    let handler: (any PreludeSessionLogHandler)?

    /// A log without a handler.
    static let none = SessionLog(handler: nil)

    /// - Parameter attributes: Evaluated only when there is a handler. `nil` attributes are left out.
    func callAsFunction(
        _ level: PreludeSessionLogLevel, _ message: StaticString,
        _ attributes: @autoclosure () -> [PreludeSessionLogAttribute?] = []
    ) {
        guard let handler else { return }
        handler.log(
            PreludeSessionLogEntry(
                level: level, message: String(describing: message), attributes: attributes().compactMap { $0 }))
    }
}
