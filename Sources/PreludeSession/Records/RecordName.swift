/// The records that the SDK keeps for one endpoint in a credential store.
///
/// Raw values are part of stored names, so they never change.
enum RecordName: String, CaseIterable, Sendable {
    /// The session's tokens.
    case session
    /// The attempt id of a rotation. The stored name continues with a hash of the refresh token.
    case attempt
    /// The device's id, the clock's error and the last nonce.
    case device
    /// Open step-up challenges.
    case stepUps = "stepup"
    /// Ended sessions that the server must still revoke.
    case revocations
    /// The token of a device on which a user has signed in before.
    case trustedDevice = "trusted-device"
    /// The login that waits for its code.
    case login
    /// Why the last session ended.
    case signOut = "sign-out"
    /// A software device key.
    case softwareKey = "key"
    /// The Secure Enclave's blob of a device key.
    case enclaveKey = "enclave-key"

    /// The name in the store, such as `localhost:8080.session`.
    func storageName(endpoint: String) -> String { endpoint + "." + rawValue }
}

/// The locks that the SDK takes for one endpoint in a credential store. Clients in all processes must agree on them.
enum RecordLock: String, CaseIterable, Sendable {
    /// Held while the session record is compared and replaced.
    case sessionWrite = "write"
    /// Held during a whole refresh, network included.
    case refresh
    /// Held while a login looks up or creates the device key.
    case deviceKey = "device-key"
    /// Held while the record of step-ups is merged and written.
    case stepUps = "stepup"
    /// Held while the record of revocations is changed.
    case revocations

    /// Whether the work under the lock waits for the network. Then the lock may be released before the work ends, when the
    /// system suspends the process. The work under all other locks is short and must not be interrupted.
    var isHeldAcrossNetwork: Bool { self == .refresh }

    /// The name in the store, such as `localhost:8080.write`.
    func storageName(endpoint: String) -> String { endpoint + "." + rawValue }
}
