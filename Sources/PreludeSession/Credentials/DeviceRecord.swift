internal import Foundation
internal import SessionTokens

/// The record of what the server knows about this device, and of what the SDK has learned about the server.
struct DeviceRecord: VersionedRecord, Equatable {
    static let recordName = RecordName.device

    var version = DeviceRecord.currentVersion
    /// A lower-case UUID, the same in all logins.
    var deviceID: String
    /// The service's last DPoP nonce. It is valid for minutes, so a new nonce alone is not stored.
    var nonce: String?
    /// Seconds to add to the device's clock to get the server's time.
    var clockOffset: Double = 0

    /// Seconds; some centuries. A record with a larger offset is damaged.
    private static let maximumOffset = 1e10

    /// Seconds. A smaller difference is the duration of the request, not an error of the clock.
    private static let tolerance = 5.0

    /// Seconds. A slower response says little about the server's time.
    private static let maximumDelay = 10.0

    var isPlausible: Bool { clockOffset.magnitude < Self.maximumOffset }

    /// Takes over the nonce of a response, if it has a valid one.
    mutating func learn(nonce: String?) {
        if let nonce, nonce.utf8.count <= DPoPProofChecker.maximumIDLength { self.nonce = nonce }
    }

    /// Takes over the server's time from a response.
    ///
    /// - Parameters:
    ///   - date: The `Date` header.
    ///   - sentAt: When the request was sent, by the device's clock.
    ///   - receivedAt: When the response arrived, by the device's clock.
    mutating func learn(date: Date?, sentAt: Date, receivedAt: Date) {
        guard let date, receivedAt.timeIntervalSince(sentAt) < Self.maximumDelay else { return }
        let offset = date.timeIntervalSince(receivedAt)
        guard abs(offset) < Self.maximumOffset, abs(offset - clockOffset) > Self.tolerance else { return }
        clockOffset = abs(offset) > Self.tolerance ? offset : 0
    }
}
