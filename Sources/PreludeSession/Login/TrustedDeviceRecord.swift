internal import SessionWire

/// The token that the server gives a device at a login. It opens a budget of attempts of its own for the same user, so that
/// strangers who try codes and passwords do not lock out the device.
///
/// It survives a logout. The next login replaces it, also that of another user.
struct TrustedDeviceRecord: VersionedRecord, Equatable {
    static let recordName = RecordName.trustedDevice

    var version = TrustedDeviceRecord.currentVersion
    /// A secret: it is never logged.
    let token: String

    /// Longer values are not tokens of the server.
    static let maximumLength = 1024
}

extension SessionEngine {
    /// Adds the token of this device to a login. Without one, or if the store cannot be read, the login goes on.
    func withTrustedDevice(_ request: APIRequest) async -> APIRequest {
        var request = request
        if case .valid(let record)? = try? await records.read(TrustedDeviceRecord.self) {
            request.headers[HeaderName.trustedDevice] = record.token
        }
        return request
    }

    /// Keeps the token of a login. A store that refuses it must not fail the login.
    func keepTrustedDevice(_ answer: TransportAnswer) async {
        guard let token = answer.header(HeaderName.trustedDevice), !token.isEmpty,
            token.utf8.count <= TrustedDeviceRecord.maximumLength
        else { return }
        if let stored = try? await records.read(TrustedDeviceRecord.self), stored.isNewerVersion { return }
        do {
            try await records.write(TrustedDeviceRecord(token: token))
        } catch {
            log(.warning, "the token of this device cannot be stored", [.error(error)])
        }
    }
}
