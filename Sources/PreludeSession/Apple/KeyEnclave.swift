internal import Foundation

/// A chip that creates keys and returns blobs that only the chip can use: the SDK's view of the Secure Enclave.
///
/// It is not behind `#if`, so that the decisions about its errors are tested on every system.
protocol KeyEnclave: Sendable {
    /// Whether the device has such a chip.
    var isAvailable: Bool { get }
    /// Creates a P-256 key and returns its blob.
    func makeKey() throws -> Data
    /// `x ‖ y` of the key in a blob.
    func publicKey(of blob: Data) throws -> Data
    /// `r ‖ s` by the key in a blob, over SHA-256.
    func signature(by blob: Data, for message: Data) throws -> Data
}

extension KeyEnclave {
    /// The error for a rejected blob: lost, or not usable now.
    ///
    /// The chip's own errors do not distinguish the two. So it creates and uses a new key: if that succeeds, the blob is
    /// invalid.
    func error(forRejected blob: Data) -> PreludeSessionError {
        let works = (try? signature(by: makeKey(), for: blob)) != nil
        guard works || !isAvailable else {
            return .deviceLocked("the Secure Enclave does not respond; unlock the device and try again")
        }
        return .deviceKeyLost("the Secure Enclave rejects the device key of this session; sign in again")
    }
}
