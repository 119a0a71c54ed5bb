import SessionDomain

/// Limits short texts that the service only passes on or looks up.
enum TextLimit {
    static let maximumBytes = 256

    /// - Throws: `Refusal.invalidField` for a text of more than `maximumBytes` in UTF-8.
    static func check(_ text: String?, _ field: String) throws(Refusal) {
        guard (text?.utf8.count ?? 0) <= maximumBytes else {
            throw .invalidField(field, "must have at most \(maximumBytes) bytes")
        }
    }
}
