public import Foundation

extension PreludeSessionError {
    /// What an error says: a text for developers and logs, and what the server said besides it.
    ///
    /// Previews and fakes of tests create errors with it:
    ///
    /// ```swift
    /// throw PreludeSessionError.rateLimited(.init("too many tries", retryAfter: 42))
    /// ```
    ///
    /// A literal is a text without facts: `.forbidden("not allowed")`.
    public struct Details: Sendable, Hashable {
        /// What happened, in English, for developers and logs. It never contains a secret.
        public var text: String
        /// The server's error code; `nil` for an error of the SDK itself.
        public var code: PreludeSessionErrorCode?
        /// The member of the request that the error is about.
        public var field: String?
        /// Whether no code that was sent before can be accepted any more.
        public var needsNewCode: Bool
        /// Whether the credentials can be read again when the device is unlocked.
        public var needsUnlock: Bool
        /// The server's id of the request.
        public var requestID: String?
        /// Seconds until the next try.
        public var retryAfter: TimeInterval?

        /// Creates the details of an error.
        ///
        /// - Parameters:
        ///   - text: What happened, for developers and logs.
        ///   - code: The server's error code.
        ///   - field: The member of the request that the error is about.
        ///   - needsNewCode: Whether no code that was sent before can be accepted any more.
        ///   - needsUnlock: Whether the credentials can be read again when the device is unlocked.
        ///   - requestID: The server's id of the request.
        ///   - retryAfter: Seconds until the next try.
        public init(
            _ text: String, code: PreludeSessionErrorCode? = nil, field: String? = nil, needsNewCode: Bool = false,
            needsUnlock: Bool = false, requestID: String? = nil, retryAfter: TimeInterval? = nil
        ) {
            self.text = text
            self.code = code
            self.field = field
            self.needsNewCode = needsNewCode
            self.needsUnlock = needsUnlock
            self.requestID = requestID
            self.retryAfter = retryAfter
        }
    }
}

extension PreludeSessionError.Details: ExpressibleByStringInterpolation {
    /// Creates a text without facts.
    public init(stringLiteral value: String) { self.init(value) }
}

extension PreludeSessionError.Details: CustomStringConvertible {
    /// The text, followed by the facts, such as `too many tries [code=rate_limited request=req_1 retry-after=42]`.
    public var description: String {
        let facts = [
            code.map { "code=\($0)" }, field.map { "field=\($0)" }, needsNewCode ? "new-code" : nil,
            needsUnlock ? "locked" : nil, requestID.map { "request=\($0)" },
            retryAfter.map { "retry-after=\(Self.seconds($0))" },
        ].compactMap { $0 }
        return facts.isEmpty ? text : "\(text) [\(facts.joined(separator: " "))]"
    }

    /// Without a fraction that is zero.
    private static func seconds(_ value: TimeInterval) -> String {
        Int(exactly: value).map(String.init) ?? String(value)
    }
}
