/// `POST /login/email/password`: signs in with a password.
public struct PasswordLoginRequest: Codable, Sendable, Equatable {
    /// The email address.
    public var identifier: String
    public var password: String
    public var dispatchID: String?

    public init(identifier: String, password: String, dispatchID: String? = nil) {
        self.identifier = identifier
        self.password = password
        self.dispatchID = dispatchID
    }

    private enum CodingKeys: String, CodingKey {
        case identifier, password
        case dispatchID = "dispatch_id"
    }
}

/// `POST /me/password/reset`: sets a new password for the signed-in user.
public struct ResetPasswordRequest: Codable, Sendable, Equatable {
    public var password: String

    public init(password: String) { self.password = password }
}

/// `GET /password/compliancy`: the password rules as minimum counts. A `max_length` of 0 means no limit.
public struct PasswordCompliancy: Codable, Sendable, Equatable {
    public var minLength: Int
    public var maxLength: Int
    public var uppercase: Int
    public var lowercase: Int
    public var numbers: Int
    public var symbols: Int

    public init(minLength: Int, maxLength: Int, uppercase: Int, lowercase: Int, numbers: Int, symbols: Int) {
        self.minLength = minLength
        self.maxLength = maxLength
        self.uppercase = uppercase
        self.lowercase = lowercase
        self.numbers = numbers
        self.symbols = symbols
    }

    private enum CodingKeys: String, CodingKey {
        case uppercase, lowercase, numbers, symbols
        case minLength = "min_length"
        case maxLength = "max_length"
    }
}
