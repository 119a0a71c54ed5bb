/// Why the last session ended on this device. The next login deletes it.
struct SignOutRecord: VersionedRecord, Equatable {
    static let recordName = RecordName.signOut

    var version = SignOutRecord.currentVersion
    let reason: String
}

/// What the store has of a session: the session, or the reason why the last one ended.
struct StoredSessionOrEnd: Sendable {
    let session: StoredSession?
    let reason: PreludeSignOutReason?
}

extension RecordStore {
    /// The stored session, or the reason why the last one ended.
    ///
    /// - Throws: `.storageUnavailable` for a session that cannot be read.
    func sessionOrEnd() async throws -> StoredSessionOrEnd {
        if let session = try await session() { return StoredSessionOrEnd(session: session, reason: nil) }
        guard case .valid(let record)? = try? await read(SignOutRecord.self) else {
            return StoredSessionOrEnd(session: nil, reason: nil)
        }
        return StoredSessionOrEnd(session: nil, reason: PreludeSignOutReason(rawValue: record.reason))
    }

    /// Stores why a session ends, before its record is deleted. A store that refuses it must not keep a session.
    func keep(_ reason: PreludeSignOutReason) async {
        try? await write(SignOutRecord(reason: reason.rawValue))
    }
}
