internal import SessionDomain

@testable internal import SessionArgon2

extension AppID {
    static func test(_ text: String = "domain1") -> AppID {
        guard let id = AppID(text) else { preconditionFailure("\(text) is not an app id") }
        return id
    }
}

extension Argon2PasswordHasher {
    /// Verifies for one caller of an app.
    func verify(_ password: String, against hash: String?, app: AppID = .test()) async throws -> PasswordVerdict {
        let place = try admit(app: app)
        return try await place.verify(password, against: hash)
    }

    /// Hashes for one caller of an app.
    func hash(_ password: String, app: AppID = .test()) async throws -> String {
        let place = try admit(app: app)
        return try await place.hash(password)
    }
}
