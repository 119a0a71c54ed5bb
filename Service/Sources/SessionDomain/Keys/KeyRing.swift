internal import Crypto
package import Foundation
internal import SessionTokens

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

    /// Returns the MAC of a known device's token under the current key, with the key's id.
    /// The networks of a caller, as counters in the store name them; none for a caller without limits.
    package func networks(of source: SourceAddress) -> [CountedNetwork] {
        guard !source.isExempt else { return [] }
        return source.networks.map { network in
            CountedNetwork(
                digest: String(Self.mac(network.text, key: current.networks).prefix(22)), widening: network.widening)
        }
    }

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
        OneTimeCode.make(size: seed.size) { block in
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
