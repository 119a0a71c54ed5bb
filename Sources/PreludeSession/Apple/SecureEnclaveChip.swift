#if canImport(CryptoKit) && canImport(Security)
    internal import CryptoKit
    internal import Foundation
    internal import Security

    /// The Secure Enclave, by way of CryptoKit.
    ///
    /// Keys are opened anew from their blobs for each use, for bytes are `Sendable` in every version of Apple's SDK.
    struct SecureEnclaveChip: KeyEnclave {
        private typealias Key = SecureEnclave.P256.Signing.PrivateKey

        /// The system makes no such rule; the caller says what to do about it.
        private struct NoAccessControl: Error {}

        var isAvailable: Bool { SecureEnclave.isAvailable }

        func makeKey() throws -> Data {
            // CryptoKit's default asks for an unlocked device, and refreshes in the background would fail.
            let accessControl = SecAccessControlCreateWithFlags(
                nil, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, .privateKeyUsage, nil)
            guard let accessControl else { throw NoAccessControl() }
            return try Key(accessControl: accessControl).dataRepresentation
        }

        func publicKey(of blob: Data) throws -> Data {
            try Key(dataRepresentation: blob).publicKey.rawRepresentation
        }

        func signature(by blob: Data, for message: Data) throws -> Data {
            try Key(dataRepresentation: blob).signature(for: message).rawRepresentation
        }
    }
#endif
