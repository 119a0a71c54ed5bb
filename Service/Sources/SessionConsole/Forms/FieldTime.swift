/// The time of a field `datetime-local` (HTML Living Standard), which has no zone. In the console it is UTC.
enum FieldTime {
    /// RFC 3339, if a text is the value of such a field. Any other text is returned as it is.
    static func rfc3339(_ text: String) -> String {
        guard text.wholeMatch(of: /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?/) != nil else { return text }
        return text + (text.utf8.count == 16 ? ":00Z" : "Z")
    }

    /// What a field shows for a time of either form.
    static func value(_ text: String) -> String { text.hasSuffix("Z") ? String(text.dropLast()) : text }
}
