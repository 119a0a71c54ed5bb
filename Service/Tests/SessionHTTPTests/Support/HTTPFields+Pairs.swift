import HTTPTypes

extension HTTPFields {
    /// Creates headers in this order. A name may occur more than once.
    static func of(_ pairs: (name: String, value: String)...) -> HTTPFields { of(pairs) }

    static func of(_ pairs: [(name: String, value: String)]) -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in pairs {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        return fields
    }
}
