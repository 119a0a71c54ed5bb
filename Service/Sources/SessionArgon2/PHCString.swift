/// The parameters of a stored Argon2id hash in the PHC string format: `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`.
struct PHCString: Equatable {
    let cost: Argon2Cost
    /// Lanes (`p`).
    let lanes: Int

    /// Returns `nil` for any other scheme, version or format.
    init?(_ text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].isEmpty, parts[1] == "argon2id", parts[2] == "v=19",
            !parts[4].isEmpty, !parts[5].isEmpty
        else { return nil }
        let parameters = parts[3].split(separator: ",", omittingEmptySubsequences: false)
        guard parameters.count == 3, let memory = Self.value("m", parameters[0]),
            let passes = Self.value("t", parameters[1]), let lanes = Self.value("p", parameters[2])
        else { return nil }
        cost = Argon2Cost(uncheckedPasses: passes, memory: memory)
        self.lanes = lanes
    }

    private static func value(_ name: String, _ parameter: Substring) -> Int? {
        let prefix = name + "="
        guard parameter.hasPrefix(prefix) else { return nil }
        let digits = parameter.dropFirst(prefix.count)
        guard let value = UInt32(digits), value > 0, String(value) == digits else { return nil }
        return Int(value)
    }
}
