/// The `for` parameters of `Forwarded` headers (RFC 7239 §4), in the order of the proxies.
///
/// A header is read from its end, where the last proxy writes. So no text of a client changes how the entries after it
/// are read: a quote that it does not close, for example.
enum ForwardedNodes {
    /// - Returns: An entry for each element: an address with or without a port, `unknown`, an obfuscated name, or an empty
    ///   text for an element that does not name exactly one client.
    static func all(in header: String) -> [String] {
        parts(of: Array(header.utf8), at: UInt8(ascii: ",")).map(node)
    }

    private static func node(of element: [UInt8]) -> String {
        let values = parts(of: element, at: UInt8(ascii: ";")).compactMap { pair -> String? in
            guard let equals = pair.firstIndex(of: UInt8(ascii: "=")),
                String(decoding: pair[..<equals], as: UTF8.self).lowercased() == "for"
            else { return nil }
            return unquoted(pair[(equals + 1)...])
        }
        return values.count == 1 ? values[0] : ""
    }

    /// A quoted string is only a frame here: no address contains a character that needs an escape.
    private static func unquoted(_ value: ArraySlice<UInt8>) -> String {
        let quote = UInt8(ascii: "\"")
        let isQuoted = value.count >= 2 && value.first == quote && value.last == quote
        return String(decoding: isQuoted ? value.dropFirst().dropLast() : value, as: UTF8.self)
    }

    /// Splits a text at the separators outside quoted strings, and drops empty parts and the white space around parts.
    private static func parts(of text: [UInt8], at separator: UInt8) -> [[UInt8]] {
        var parts: [[UInt8]] = []
        var end = text.count
        var isInQuotes = false
        for index in text.indices.reversed() {
            if text[index] == UInt8(ascii: "\"") {
                // The quotes of `\"` belong to the string that they are in.
                if index == 0 || text[index - 1] != UInt8(ascii: "\\") { isInQuotes.toggle() }
            } else if text[index] == separator, !isInQuotes {
                parts.append(trimmed(text[(index + 1)..<end]))
                end = index
            }
        }
        parts.append(trimmed(text[..<end]))
        return parts.reversed().filter { !$0.isEmpty }
    }

    private static func trimmed(_ part: ArraySlice<UInt8>) -> [UInt8] {
        func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let start = part.drop(while: isSpace)
        return Array(start.prefix((start.lastIndex { !isSpace($0) } ?? start.startIndex - 1) - start.startIndex + 1))
    }
}
