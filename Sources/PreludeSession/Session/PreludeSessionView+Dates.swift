public import Foundation

extension PreludeSessionView {
    /// `createdAt` as a date. `nil` if the server sent none.
    public var createdDate: Date? { Self.date(createdAt) }

    /// `lastSeenAt` as a date. `nil` if the server sent none.
    public var lastSeenDate: Date? { Self.date(lastSeenAt) }

    /// `expiresAt` as a date. `nil` if the server sent none.
    public var expiryDate: Date? { Self.date(expiresAt) }

    /// Reads an RFC 3339 time, with or without fractions of a second.
    private static func date(_ text: String) -> Date? {
        (try? Date(text, strategy: .iso8601))
            ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }
}
