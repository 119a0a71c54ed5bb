import Crypto
import Foundation
import SessionDomain

/// Hashes passwords with salted HMAC-SHA-256, in microseconds.
///
/// It needs no system library, unlike the service's Argon2id. It is not safe for stored passwords, and no hash outlives
/// its test.
struct QuickPasswordHasher: PasswordHasher, PasswordHashing {
    let randomBytes: @Sendable (Int) -> [UInt8]

    func admit(app: AppID) throws -> HashingSlot { HashingSlot(self) }

    func hash(_ password: String) async throws -> String {
        let salt = Data(randomBytes(16))
        return salt.base64EncodedString() + "$" + tag(of: password, salt: salt).base64EncodedString()
    }

    func verify(_ password: String, against hash: String?) async throws -> PasswordVerdict {
        let parts = (hash ?? "").split(separator: "$").compactMap { Data(base64Encoded: String($0)) }
        guard parts.count == 2, tag(of: password, salt: parts[0]) == parts[1] else { return .wrong }
        return .right(needsUpgrade: false)
    }

    private func tag(of password: String, salt: Data) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: Data(password.utf8), using: SymmetricKey(data: salt)))
    }
}
