internal import Crypto
internal import Foundation

/// The attempts of rotations. Each has a record of its own, named after the refresh token that it spends.
///
/// A record for all tokens would have to be replaced, and two processes could replace it at once.
extension RecordStore {
    /// How often other processes may create and delete the record meanwhile.
    private static let maximumRounds = 4

    /// The id of the attempt that spends a refresh token: the stored one, or this new one, which is stored then.
    ///
    /// - Throws: `.storageUnavailable` if it cannot be stored or read. Then no request may be sent.
    func attempt(for refreshToken: String, newID: String) async throws -> String {
        let name = attemptName(refreshToken)
        let new = try RotationAttempt(id: newID).encoded()
        for _ in 0..<Self.maximumRounds {
            if try await store.create(new, at: name) { return newID }
            // `nil`: another process has finished the rotation, or has deleted a damaged record.
            guard let data = try await store.read(name) else { continue }
            let content = RecordContent<RotationAttempt>(data)
            if case .invalid = content {
                try await store.delete(name)
            } else {
                return try content.record(orThrow: Self.unsettled).id
            }
        }
        throw Self.unsettled
    }

    func deleteAttempt(for refreshToken: String) async throws { try await store.delete(attemptName(refreshToken)) }

    private static let unsettled = PreludeSessionError.storageUnavailable(
        "the record of a refresh changes again and again; try again")

    private func attemptName(_ refreshToken: String) -> String {
        let hash = SHA256.hash(data: Data(refreshToken.utf8)).prefix(8)
        let text = hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return RecordName.attempt.storageName(endpoint: endpoint) + "." + text
    }
}
