/// The members of a JSON object, in the order of the text.
///
/// A token has about ten members with short names. To compare these names costs less than to hash each one twice. Longer
/// objects have a set of their names as well, so that a text with many members takes no quadratic time.
struct JSONMembers: Sendable {
    /// The most members that are compared one by one.
    private static let maximumCompared = 16

    private var members: [(name: String, value: JSONValue)] = []
    private var names: Set<String> = []

    init() { members.reserveCapacity(12) }

    init(_ members: [String: JSONValue]) {
        self.members = members.map { (name: $0.key, value: $0.value) }
    }

    var isEmpty: Bool { members.isEmpty }

    subscript(name: String) -> JSONValue? { members.first { $0.name == name }?.value }

    /// Adds a member.
    ///
    /// - Returns: `false` if the object has a member with this name.
    mutating func add(_ name: String, _ value: JSONValue) -> Bool {
        if members.count >= Self.maximumCompared {
            if names.isEmpty { names = Set(members.lazy.map(\.name)) }
            guard names.insert(name).inserted else { return false }
        } else if members.contains(where: { $0.name == name }) {
            return false
        }
        members.append((name: name, value: value))
        return true
    }
}
