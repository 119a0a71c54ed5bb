/// A backend's request for a step-up: the token is valid but lacks a scope (RFC 9470 §3, RFC 6750 §3.1).
struct StepUpRequirement: Sendable, Equatable {
    /// What to do before the request is sent again.
    enum Decision: Sendable, Equatable {
        /// Get this scope.
        case stepUp(String)
        /// Nothing: another call has refreshed the token, and it has the scopes now.
        case send
    }

    private static let errors: Set<String> = ["insufficient_user_authentication", "insufficient_scope"]

    /// The scopes that the request needs, in the order of the backend. Empty if it names none.
    let scopes: [String]

    /// Reads a response; `nil` if it asks for no step-up.
    ///
    /// - Parameter challenges: The values of `WWW-Authenticate` (RFC 9110 §11.6.1).
    init?(status: Int, challenges: [String]) {
        guard status == 401 || status == 403 else { return nil }
        let asking = challenges.flatMap(Self.parameters).filter { Self.errors.contains($0["error"] ?? "") }
        guard !asking.isEmpty else { return nil }
        let lists = asking.compactMap { $0["scope"]?.split(separator: " ").map(String.init) }
        // The scopes of the session service itself let their holder change the password or the identifiers of the user. No
        // backend needs them, and the next request would bring it a token with them.
        scopes = (lists.first { !$0.isEmpty } ?? []).filter { !$0.hasPrefix("prld:") }
    }

    /// - Parameters:
    ///   - refused: The scopes of the token that was refused.
    ///   - current: The scopes of the session's current token.
    /// - Returns: `nil` if no step-up is known to help.
    func decision(refused: Set<Substring>, current: Set<Substring>) -> Decision? {
        if let missing = scopes.first(where: { !current.contains($0[...]) }) { return .stepUp(missing) }
        guard let first = scopes.first else { return nil }
        // A token with all scopes was refused: the backend wants a newer grant.
        return scopes.allSatisfy { refused.contains($0[...]) } ? .stepUp(first) : .send
    }

    // MARK: Reading

    /// The parameters of each challenge in a value.
    private static func parameters(in value: String) -> [[String: String]] {
        var challenges: [[String: String]] = []
        for element in elements(of: value) {
            var element = element
            let word = element.prefix { $0 != " " && $0 != "=" }
            let rest = element.dropFirst(word.count).drop { $0 == " " }
            if rest.first != "=" {
                // The word is a scheme, and the rest its first parameter.
                challenges.append([:])
                element = rest
            }
            guard let equals = element.firstIndex(of: "="), !challenges.isEmpty else { continue }
            let name = element[..<equals].filter { $0 != " " }.lowercased()
            challenges[challenges.count - 1][name] = unquoted(element[element.index(after: equals)...])
        }
        return challenges
    }

    /// What stands between commas, except for commas in quotes.
    private static func elements(of value: String) -> [Substring] {
        var (isQuoted, isEscaped) = (false, false)
        return value.split { character in
            if isEscaped {
                isEscaped = false
            } else if isQuoted, character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            }
            return character == "," && !isQuoted
        }.map { $0.drop { $0 == " " } }
    }

    /// The text of a token or a quoted string.
    private static func unquoted(_ text: Substring) -> String {
        let text = text.drop { $0 == " " }
        guard text.first == "\"" else { return String(text.prefix { $0 != " " }) }
        var (content, isEscaped) = ("", false)
        for character in text.dropFirst() {
            if !isEscaped, character == "\"" { break }
            isEscaped = !isEscaped && character == "\\"
            if !isEscaped { content.append(character) }
        }
        return content
    }
}
