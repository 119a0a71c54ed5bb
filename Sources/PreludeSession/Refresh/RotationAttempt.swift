/// The record of a rotation that was begun: the id that all its requests carry.
///
/// It is stored before anything is sent. So a request that is repeated later, by this or another process, is recognized by
/// the server as the same rotation, and a request of another holder of key and token is not.
struct RotationAttempt: VersionedRecord, Equatable {
    static let recordName = RecordName.attempt

    var version = RotationAttempt.currentVersion
    /// base64url of 16 random bytes.
    var id: String
}
