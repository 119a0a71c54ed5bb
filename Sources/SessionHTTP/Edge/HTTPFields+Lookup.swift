import HTTPTypes

extension HTTPFields {
    /// All values of a header, in order and unfolded.
    func all(_ name: String) -> [String] {
        HTTPField.Name(name).map { self[values: $0] } ?? []
    }

    /// The first value of a header.
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
