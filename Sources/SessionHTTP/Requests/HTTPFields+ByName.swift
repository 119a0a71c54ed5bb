import HTTPTypes

/// Header names as strings. An invalid name matches nothing and adds nothing.
extension HTTPFields {
    /// The values of a header, one for each time that it occurs, in order. Values are not split at commas.
    func all(_ name: String) -> [String] {
        HTTPField.Name(name).map { self[values: $0] } ?? []
    }

    /// The value of a header where it occurs for the first time.
    func first(_ name: String) -> String? { all(name).first }

    func contains(_ name: String) -> Bool { !all(name).isEmpty }

    mutating func set(_ name: String, to value: String) {
        guard let name = HTTPField.Name(name) else { return }
        self[name] = value
    }

    mutating func add(_ name: String, _ value: String) {
        guard let name = HTTPField.Name(name) else { return }
        append(HTTPField(name: name, value: value))
    }
}
