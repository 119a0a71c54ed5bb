import HTTPTypes

/// Short names for reading and writing headers.
extension HTTPFields {
    /// The values of a header, one for each time that it occurs, in order. Values are not split at commas.
    func all(_ name: HTTPField.Name) -> [String] { self[values: name] }

    /// The value of a header where it occurs for the first time.
    func first(_ name: HTTPField.Name) -> String? { self[values: name].first }

    mutating func set(_ name: HTTPField.Name, to value: String) { self[name] = value }

    mutating func add(_ name: HTTPField.Name, _ value: String) { append(HTTPField(name: name, value: value)) }
}
