import SessionDomain
import SessionHTTP

/// Commands and the log tell a refusal in the words of the wire.
extension Refusal: CustomStringConvertible {
    public var description: String { message }
}
