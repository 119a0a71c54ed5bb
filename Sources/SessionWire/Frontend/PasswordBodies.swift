/// `POST /login/email/password`: signs in with a password.
package struct PasswordLoginRequest: Codable, Sendable, Equatable {
    /// The email address.
    package var identifier: String
    package var password: String
    package var dispatchID: String?

    package init(identifier: String, password: String, dispatchID: String? = nil) {
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
package struct ResetPasswordRequest: Codable, Sendable, Equatable {
    package var password: String

    package init(password: String) { self.password = password }
}

/// `GET /password/compliancy`: the password rules as minimum counts. A `max_length` of 0 means no limit.
package struct PasswordCompliancy: Codable, Sendable, Equatable {
    package var minLength: Int
    package var maxLength: Int
    package var uppercase: Int
    package var lowercase: Int
    package var numbers: Int
    package var symbols: Int

    package init(minLength: Int, maxLength: Int, uppercase: Int, lowercase: Int, numbers: Int, symbols: Int) {
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
