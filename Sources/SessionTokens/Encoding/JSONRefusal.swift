/// Why a JSON text has no one reading, for answers that say so; the underlying error of the `DecodingError` that is thrown.
package enum JSONRefusal: Error, Hashable {
    case notUTF8
    case tooDeep(limit: Int)
    /// The member's name, as whoever sent it chose it.
    case repeatedMember(String)
    /// U+0000 in a string: stores and libraries in C end a text there, so two texts could become one (RFC 8259 §9).
    case nullCharacter
    /// What breaks the grammar (RFC 8259), in words of ours.
    case malformed(String)
}
