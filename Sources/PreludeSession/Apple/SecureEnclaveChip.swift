#if canImport(CryptoKit) && canImport(Security)
    internal import CryptoKit
    internal import Foundation
    internal import Security

    /// The Secure Enclave, through CryptoKit.
    ///
    /// It opens a key from its blob for each use, because CryptoKit's key is not `Sendable` in every version of Apple's SDK.
    struct SecureEnclaveChip: KeyEnclave {
        private typealias Key = SecureEnclave.P256.Signing.PrivateKey

        /// The system could not create the access control. The caller reports what to do.
        private struct NoAccessControl: Error {}

        var isAvailable: Bool { SecureEnclave.isAvailable }

        func makeKey() throws -> Data {
            // CryptoKit's default needs an unlocked device, so refreshes in the background would fail.
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
