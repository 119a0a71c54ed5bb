// A stub for the part of CryptoKit that the SDK's Apple code calls, so that it is type-checked on Linux.

public import Foundation
public import Security

/// The error that every stub throws.
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
            // Not Sendable, because not every version of Apple's SDK declares it.
            public struct PrivateKey {
                public let publicKey: CryptoKit.P256.Signing.PublicKey
                public var dataRepresentation: Data { Data() }

                // Apple's initializer also has authenticationContext (except on tvOS and watchOS), and a default for
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
