internal import Crypto
package import Foundation
package import SessionRSA
package import SessionTokens

/// The service's secrets: one key for each use, derived from master keys (HKDF, RFC 5869).
///
/// The current master key creates MACs and seals. Older ones still verify and open, so that the master key can rotate.
package struct KeyRing: Sendable {
    private struct Derived: Sendable {
        let id: String
        /// The beginning of each MAC, which is the same for all tokens.
        let refreshTokens: HMAC<SHA256>
        /// Hashes codes.
        let codes: SymmetricKey
        /// Derives codes.
        let codeSeeds: SymmetricKey
        let sealing: SymmetricKey
        let knownDevices: SymmetricKey
        /// Hashes networks of callers.
        let networks: SymmetricKey
    }

    /// Whether the ring may seal: `false` without master keys.
    private let hasMasterKeys: Bool
    private let current: Derived
    private let all: [Derived]
    /// 256 bits for DPoP nonces, the same on every node.
    package let nonceSecret: Data
    /// The nonce secrets of the older master keys. Nodes that still use an older master key issue nonces with them.
    package let olderNonceSecrets: [Data]

    package init(current: MasterKey, older: [MasterKey] = []) {
        self.init(current: current, older: older, hasMasterKeys: true)
    }

    /// Returns a ring for processes that use no key: commands that only read and change rows. Sealing and opening throw, so
    /// that nothing is encrypted with a key that is not stored.
    ///
    /// - Parameter random: 32 random bytes.
    package static func withoutMasterKeys(random: [UInt8]) -> KeyRing {
        KeyRing(current: MasterKey(secret: Data(random)), older: [], hasMasterKeys: false)
    }

    private init(current: MasterKey, older: [MasterKey], hasMasterKeys: Bool) {
        self.hasMasterKeys = hasMasterKeys
        let derived = ([current] + older).map { key in
            Derived(
                id: key.id, refreshTokens: HMAC(key: Self.derive("refresh-token", from: key)),
                codes: Self.derive("one-time-code", from: key), codeSeeds: Self.derive("code-seed", from: key),
                sealing: Self.derive("sealed-key", from: key), knownDevices: Self.derive("known-device", from: key),
                networks: Self.derive("source-network", from: key))
        }
        self.current = derived[0]
        all = derived
        func nonceSecret(_ key: MasterKey) -> Data { Self.derive("dpop-nonce", from: key).withUnsafeBytes { Data($0) } }
        self.nonceSecret = nonceSecret(current)
        olderNonceSecrets = older.map(nonceSecret)
    }

    private static func derive(_ use: String, from key: MasterKey) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: key.secret), info: Data("prelude-session \(use) v1".utf8),
            outputByteCount: 32)
    }

    /// Returns the MAC of a refresh token under the current key, with the key's id.
    func refreshTokenMAC(_ message: String) -> (keyID: String, mac: String) {
        (current.id, Self.mac(message, current.refreshTokens))
    }

    /// Whether the MAC is valid for this message under the key of the ring with this id.
    func isRefreshTokenMAC(_ mac: String, keyID: String, for message: String) -> Bool {
        guard let key = all.first(where: { $0.id == keyID }) else { return false }
        return ConstantTime.equal(mac, Self.mac(message, key.refreshTokens))
    }

    /// The networks of a caller, as counters in the store name them; none for a caller without limits.
    package func networks(of source: SourceAddress) -> [CountedNetwork] {
        guard !source.isExempt else { return [] }
        return source.networks.map { network in
            CountedNetwork(
                digest: String(Self.mac(network.text, key: current.networks).prefix(22)), widening: network.widening)
        }
    }

    /// Returns the MAC of a known device's token under the current key, with the key's id.
    func knownDeviceMAC(_ message: String) -> (keyID: String, mac: String) {
        (current.id, Self.mac(message, key: current.knownDevices))
    }

    /// Whether the MAC is valid for this message under the key of the ring with this id.
    func isKnownDeviceMAC(_ mac: String, keyID: String, for message: String) -> Bool {
        guard let key = all.first(where: { $0.id == keyID }) else { return false }
        return ConstantTime.equal(mac, Self.mac(message, key: key.knownDevices))
    }

    /// Returns the keyed hashes of a code under every key, the current key first.
    ///
    /// Codes are short, so an unkeyed hash could be reversed by trying all codes.
    func codeHashes(_ code: String, tokenHash: String) -> [String] {
        all.map { Self.mac("\(tokenHash)\0\(code)", key: $0.codes) }
    }

    /// Issues a code for a verification under the current key.
    ///
    /// - Parameters:
    ///   - number: Random bytes. Another number gives another code.
    ///   - size: Digits of the code.
    ///   - verification: `Verification.tokenHash`.
    func issueCode(number: [UInt8], size: Int, of verification: String, expiresAt: Timestamp) -> IssuedCode {
        let seed = CodeSeed(
            verification: verification, number: Base64URL.encode(number), size: size, keyID: current.id)
        let code = Self.code(of: seed, key: current.codeSeeds)
        return IssuedCode(hash: codeHashes(code, tokenHash: verification)[0], seed: seed, expiresAt: expiresAt)
    }

    /// Derives a code that was issued. `nil` if its master key is not in the ring.
    func code(of seed: CodeSeed) -> String? {
        all.first { $0.id == seed.keyID }.map { Self.code(of: seed, key: $0.codeSeeds) }
    }

    private static func code(of seed: CodeSeed, key: SymmetricKey) -> String {
        CodeDigits.make(size: seed.size) { block in
            let input = Data("\(seed.verification)\0\(seed.number)\0".utf8) + [block]
            return Array(HMAC<SHA256>.authenticationCode(for: input, using: key))
        }
    }

    private static func mac(_ message: String, key: SymmetricKey) -> String { mac(message, HMAC(key: key)) }

    private static func mac(_ message: String, _ beginning: HMAC<SHA256>) -> String {
        var (mac, message) = (beginning, message)
        message.withUTF8 { mac.update(data: UnsafeRawBufferPointer($0)) }
        return mac.finalize().withUnsafeBytes { Base64URL.encode($0) }
    }

    /// Encrypts a private key for storage (AES-256-GCM). Only `open` with the same context decrypts it.
    func seal(_ secret: Data, context: String) throws -> Data {
        guard hasMasterKeys else { throw KeyRingError.noMasterKeys }
        let box = try AES.GCM.seal(secret, using: current.sealing, authenticating: Self.bytes(of: context))
        guard let combined = box.combined else { throw KeyRingError.cannotOpen }
        return Data(current.id.utf8) + combined
    }

    private static func bytes(of context: String) -> Data { Data(context.utf8) }

    /// The id of the master key that seals.
    package var currentID: String { current.id }

    /// The ids of all master keys of the ring.
    package var ids: Set<String> { Set(all.map(\.id)) }

    /// Decrypts data that any key of the ring has sealed.
    func open(_ sealed: Data, context: String) throws -> Data {
        guard hasMasterKeys else { throw KeyRingError.noMasterKeys }
        let keyID = MasterKey.id(ofKeyThatSealed: sealed)
        guard let key = all.first(where: { $0.id == keyID }) else { throw KeyRingError.unknownMasterKey(keyID) }
        guard let box = try? AES.GCM.SealedBox(combined: sealed.dropFirst(MasterKey.idLength)),
            let secret = try? AES.GCM.open(box, using: key.sealing, authenticating: Self.bytes(of: context))
        else { throw KeyRingError.cannotOpen }
        return secret
    }
}

package enum KeyRingError: Error, CustomStringConvertible {
    case cannotOpen
    /// This process has no master keys, because it should need none.
    case noMasterKeys
    /// The data is sealed with a master key that is not in the ring; the id of that key.
    case unknownMasterKey(String)

    package var description: String {
        switch self {
        case .cannotOpen: "a stored signing key cannot be opened: the master keys do not belong to this database"
        case .noMasterKeys: "this command has not read the master keys, but needs them. Please report this defect"
        case .unknownMasterKey(let id):
            "a stored signing key is sealed under the master key \(id.debugDescription), which this process does not have: "
                + "add it to the master keys and restart"
        }
    }
}

/// An opened signing key: its private and its public half.
package struct OpenedSigningKey: Sendable {
    package let signer: any TokenSigner
    package let publicKey: any VerificationKey
}

extension KeyRing {
    /// Generates a signing key and seals it for storage. RSA takes some tenths of a second: call it on `KeyGenerationQueue`.
    package func makeSigningKey(
        app: AppID, purpose: StoredSigningKey.Purpose, algorithm: KeyAlgorithm, at time: Timestamp,
        generateRSAKey: () throws -> RSASigningKey = RSASigningKey.generate
    ) throws -> StoredSigningKey {
        let (keyID, secret) = try Self.generate(algorithm, generateRSAKey)
        return StoredSigningKey(
            appID: app, purpose: purpose, keyID: keyID, algorithm: algorithm,
            sealedPrivateKey: try seal(secret, context: Self.context(app, purpose, keyID)), createdAt: time)
    }

    /// Opens a key that signs tokens.
    ///
    /// - Throws: `KeyRingError` if it was sealed for another app or purpose, or if its master key is missing.
    package func open(_ stored: StoredSigningKey) throws -> OpenedSigningKey {
        let secret = try privateKey(of: stored)
        guard let key = Self.read(secret, algorithm: stored.algorithm), key.signer.keyID == stored.keyID
        else { throw KeyRingError.cannotOpen }
        return key
    }

    /// Opens a key that signs hooks and webhooks.
    func openHookKey(_ stored: StoredSigningKey) throws -> RSASigningKey {
        let key = try RSASigningKey(derRepresentation: try privateKey(of: stored))
        guard stored.purpose == .hook, key.keyID == stored.keyID else { throw KeyRingError.cannotOpen }
        return key
    }

    /// Returns the key sealed with the current master key, or `nil` if it already is.
    func resealed(_ stored: StoredSigningKey) throws -> StoredSigningKey? {
        guard MasterKey.id(ofKeyThatSealed: stored.sealedPrivateKey) != currentID else { return nil }
        var key = stored
        key.sealedPrivateKey = try seal(
            try privateKey(of: stored), context: Self.context(stored.appID, stored.purpose, stored.keyID))
        return key
    }

    private func privateKey(of stored: StoredSigningKey) throws -> Data {
        try open(stored.sealedPrivateKey, context: Self.context(stored.appID, stored.purpose, stored.keyID))
    }

    /// Generates a private key; returns it in the form that `read` takes, with its thumbprint.
    private static func generate(
        _ algorithm: KeyAlgorithm, _ generateRSAKey: () throws -> RSASigningKey
    ) throws -> (keyID: String, secret: Data) {
        switch algorithm {
        case .edDSA, .ed25519, .es256:
            let key = SigningKey.generate(algorithm == .es256 ? .es256 : .edDSA)
            return (key.keyID, key.rawRepresentation)
        case .rs256, .ps256:
            let key = try generateRSAKey()
            return (key.keyID, key.derRepresentation)
        }
    }

    private static func read(_ secret: Data, algorithm: KeyAlgorithm) -> OpenedSigningKey? {
        switch algorithm {
        case .edDSA, .ed25519, .es256:
            SigningKey(algorithm: algorithm == .es256 ? .es256 : .edDSA, rawRepresentation: secret)
                .map { algorithm == .ed25519 ? $0.fullySpecified() : $0 }
                .map { OpenedSigningKey(signer: $0, publicKey: $0.publicJWK) }
        case .rs256:
            (try? RSASigningKey(derRepresentation: secret)).map(RS256SigningKey.init)
                .map { OpenedSigningKey(signer: $0, publicKey: $0.publicKey) }
        case .ps256: nil
        }
    }

    private static func context(_ app: AppID, _ purpose: StoredSigningKey.Purpose, _ keyID: String) -> String {
        "\(app)/\(purpose.rawValue)/\(keyID)"
    }
}

/// One master key: 256 random bits and a short public id.
package struct MasterKey: Sendable, Equatable {
    package let id: String
    package let secret: Data
    /// Characters of an id. Sealed data begins with the id.
    package static let idLength = 8

    /// Derives the id from the secret, so that an id always names the same secret.
    package init(secret: Data) {
        precondition(secret.count == 32, "a master key has 256 bits")
        self.secret = secret
        id = String(
            Base64URL.encode(SHA256.hash(data: Data("prelude-session key id".utf8) + secret)).prefix(Self.idLength))
    }

    /// Returns the id of the master key that sealed the data.
    static func id(ofKeyThatSealed data: Data) -> String { String(decoding: data.prefix(idLength), as: UTF8.self) }
}

// The default descriptions show all members. A log line or an error that contains one of these values must not contain
// a key.

extension MasterKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "MasterKey(\(id))" }
    package var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

extension KeyRing: CustomStringConvertible, CustomReflectable {
    package var description: String { "KeyRing(\(ids.sorted().joined(separator: ", ")))" }
    package var customMirror: Mirror { Mirror(self, children: ["ids": ids.sorted()]) }
}
