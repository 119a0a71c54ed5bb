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
    /// - Parameter replacing: Whether to delete the stored attempt first.
    /// - Throws: `.storageUnavailable` if it cannot be stored or read. Then no request may be sent.
    func attempt(for refreshToken: String, newID: String, replacing: Bool = false) async throws -> String {
        let name = attemptName(Self.suffix(of: refreshToken))
        if replacing { try await store.delete(name) }
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

    /// The attempts that a renewed session must still delete: of the token that it spends, and earlier ones that could not
    /// be deleted. The store cannot list its records, so the session's record names them.
    func attemptsToForget(of session: StoredSession) async -> [String] {
        await delete(attempts: session.spentAttempts ?? []) + [Self.suffix(of: session.refreshToken)]
    }

    /// Deletes the attempts of a refresh token that is not used any more, and of those before it.
    func deleteAttempts(of session: StoredSession?) async {
        guard let session else { return }
        _ = await delete(attempts: (session.spentAttempts ?? []) + [Self.suffix(of: session.refreshToken)])
    }

    /// - Returns: Those that the store did not delete.
    private func delete(attempts: [String]) async -> [String] {
        var remaining: [String] = []
        for attempt in attempts {
            do { try await store.delete(attemptName(attempt)) } catch { remaining.append(attempt) }
        }
        return remaining
    }

    private static let unsettled = PreludeSessionError.storageUnavailable(
        "the record of a refresh changes again and again; try again")

    private func attemptName(_ suffix: String) -> String {
        RecordName.attempt.storageName(endpoint: endpoint) + "." + suffix
    }

    /// The end of the name of a token's attempt.
    private static func suffix(of refreshToken: String) -> String {
        let hash = SHA256.hash(data: Data(refreshToken.utf8)).prefix(8)
        return hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
