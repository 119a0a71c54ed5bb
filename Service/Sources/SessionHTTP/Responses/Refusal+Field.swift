import SessionDomain

extension Refusal {
    /// The member of the request that the error is about, such as `identifier`. `nil` if it is about no member.
    ///
    /// The message begins with the same name. Clients need not parse it.
    var field: String? {
        switch self {
        case .invalidField(let field, _): field == "body" ? nil : field
        // The message begins with the name, such as identifiers[1].
        case .invalidIdentifier(let message), .invalidMetadata(let message): String(message.prefix { $0 != " " })
        case .identifierTaken(let field): field
        case .invalidPassword: "password"
        case .sendDenied(let needsOtherType): needsOtherType ? "identifier.type" : nil
        case .invalidStepToken: "verification_token"
        case .invalidPaginationLimit: "limit"
        case .invalidPaginationOffset: "offset"
        case .badCode, .spentCode: "code"
        case .verifierMismatch: "code_verifier"
        default: nil
        }
    }
}
