internal import Foundation

/// The common and breached passwords that apps reject: 100 000 entries in 350 KB.
///
/// Of random passwords, 1.4 in a million are rejected by chance.
package enum CommonPasswords {
    /// The filter. It is decoded at the first use.
    package static let filter = Result<PasswordFilter, any Error> {
        guard let content = Data(base64Encoded: encoded) else { throw PasswordFilterError.notAFilter }
        return try PasswordFilter(content)
    }

    /// Whether a password is in the list, in any case and in any compatible form.
    ///
    /// - Throws: `PasswordFilterError` when the list of this build is damaged. Then no password is accepted.
    package static func contains(_ password: String) throws -> Bool { try filter.get().contains(password) }
}
