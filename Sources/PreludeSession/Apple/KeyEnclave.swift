internal import Foundation

/// A chip that makes keys and gives out blobs that only it can use; what the Secure Enclave is to the SDK.
///
/// Here and not behind `#if`, so that what is decided about its refusals is tested on every system.
protocol KeyEnclave: Sendable {
    /// Whether the device has one.
    var isAvailable: Bool { get }
    /// Makes a P-256 key and gives its blob.
    func makeKey() throws -> Data
    /// `x ‖ y` of the key in a blob.
    func publicKey(of blob: Data) throws -> Data
    /// `r ‖ s` by the key in a blob, over SHA-256.
    func signature(by blob: Data, for message: Data) throws -> Data
}

extension KeyEnclave {
    /// What a refused blob means. The chip's own errors do not tell "not mine" from "not now", so a new key is asked:
    /// when it can be made and used this moment, the fault is the blob's; otherwise nobody knows yet.
    func refusal(of blob: Data) -> PreludeSessionError {
        let works = (try? signature(by: makeKey(), for: blob)) != nil
        guard works || !isAvailable else {
            return .storageUnavailable("the Secure Enclave does not answer; unlock the device and try again")
        }
        return .deviceKeyLost("the Secure Enclave does not know the device key of this session; sign in again")
    }
}
