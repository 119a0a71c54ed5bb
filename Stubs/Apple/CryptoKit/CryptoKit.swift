// A stand-in for the part of CryptoKit that the SDK's Apple code calls, so that the code is type-checked on Linux.

public import Foundation
public import Security

/// The error of every call of a stand-in.
struct NotHere: Error {}

public enum P256 {
    public enum Signing {
        public struct PublicKey: Sendable {
            public var rawRepresentation: Data { Data() }
        }

        public struct ECDSASignature: Sendable {
            public var rawRepresentation: Data { Data() }
        }
    }
}

public enum SecureEnclave {
    public static var isAvailable: Bool { false }

    public enum P256 {
        public enum Signing {
            // Not `Sendable`, as in some versions of Apple's SDK.
            public struct PrivateKey {
                public let publicKey: CryptoKit.P256.Signing.PublicKey
                public var dataRepresentation: Data { Data() }

                // Apple's initializer also takes an authenticationContext (not on tvOS and watchOS), and defaults
                // accessControl.
                public init(compactRepresentable: Bool = true, accessControl: SecAccessControl) throws {
                    throw NotHere()
                }

                public init(dataRepresentation: Data) throws { throw NotHere() }

                public func signature<Message: DataProtocol>(
                    for data: Message
                ) throws -> CryptoKit.P256.Signing.ECDSASignature { throw NotHere() }
            }
        }
    }
}
