extension String {
    /// The path of a target in origin form (RFC 9112 §3.2.1). Compares bytes, because each request comes here.
    var withoutQuery: String {
        guard let mark = utf8.firstIndex(of: UInt8(ascii: "?")) else { return self }
        return String(self[..<mark])
    }
}
