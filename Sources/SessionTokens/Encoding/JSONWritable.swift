/// A type that writes its members without an encoder, for rows and tokens that many calls write. The bytes are those of the
/// encoder.
public protocol JSONWritable: Encodable {
    /// Writes the members of an object, sorted by name.
    func write(into json: inout JSONWriter)
}
