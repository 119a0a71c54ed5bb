/// A key of the management API. It contains the hash, never the secret.
package struct ManagementKey: Sendable, Equatable {
    /// What a key may do.
    package enum Role: String, Sendable, CaseIterable {
        /// Only GET and HEAD.
        case read
        case write
    }

    /// Where a key comes from.
    package enum Creator: Sendable, Equatable {
        /// The key is in the configuration. It is never stored.
        case configuration
        case commandLine
        /// The id of the key that created it.
        case key(String)
        /// The id of the operator of the console who created it.
        case `operator`(String)
    }

    /// The maximum number of stored keys of one app, and of those for all apps. An expired key counts until it is revoked:
    /// revoking reads all of them.
    package static let maximumPerApp = 100

    /// `mk_` and a ULID. Of a configured key: `mk_configured_` and the first 8 characters of its hash.
    package let id: String
    package let name: String
    /// The app that the key is valid for. `nil`: all apps.
    package let appID: AppID?
    /// SHA-256 of the secret in base64url. The secret has at least 128 random bits, so no slow hash is needed.
    package let hash: String
    package let role: Role
    /// `nil`: the key is older than this record.
    package let createdBy: Creator?
    package let createdAt: Timestamp
    /// The time from which the key is invalid.
    package let expiresAt: Timestamp?
    /// The time of a recent use, up to a minute late. `nil`: never used, as far as is known.
    package var lastUsedAt: Timestamp?

    package init(
        id: String, name: String, appID: AppID?, hash: String, role: Role = .write, createdBy: Creator? = nil,
        createdAt: Timestamp, expiresAt: Timestamp? = nil, lastUsedAt: Timestamp? = nil
    ) {
        self.id = id
        self.name = name
        self.appID = appID
        self.hash = hash
        self.role = role
        self.createdBy = createdBy
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.lastUsedAt = lastUsedAt
    }

    package func isValid(at now: Timestamp) -> Bool { expiresAt.map { $0 > now } ?? true }
}

extension ManagementKey {
    /// The actor of the events that a caller with this key causes.
    package var actor: EventContext.Actor {
        // The id of a configured key contains a part of the hash of its secret.
        createdBy == .configuration
            ? .init(.configuration, name: name) : .init(.managementKey, id: id, name: name)
    }

    /// What a key may not pass on.
    package enum Excess: Sendable, Equatable {
        case role
        case app
        case expiry
        /// A rotation of the key that created this one, or of a key above that.
        case ancestor
    }

    /// The first right of another key that this key does not have itself; `nil` if it may create that key.
    package func excess(of other: ManagementKey) -> Excess? {
        if role == .read, other.role == .write { return .role }
        if let appID, other.appID != appID { return .app }
        if let expiresAt, other.expiresAt.map({ $0 > expiresAt }) ?? true { return .expiry }
        return nil
    }
}

extension ManagementKey.Creator: RawRepresentable {
    /// How the id of an operator begins.
    static var operatorPrefix: String { "usr_" }

    package init?(rawValue: String) {
        switch rawValue {
        case "configuration": self = .configuration
        case "command_line": self = .commandLine
        case let id where id.hasPrefix("mk_"): self = .key(id)
        case let id where id.hasPrefix(Self.operatorPrefix): self = .operator(id)
        default: return nil
        }
    }

    /// The name for operators of one app. It contains nothing of the hash of a configured key.
    package var publicName: String {
        if case .key(let id) = self, id.hasPrefix(ConfiguredManagementKey.idPrefix) {
            return Self.configuration.rawValue
        }
        return rawValue
    }

    package var rawValue: String {
        switch self {
        case .configuration: "configuration"
        case .commandLine: "command_line"
        case .key(let id), .operator(let id): id
        }
    }
}

/// Which management keys created which.
package struct ManagementKeyTree {
    /// The ids of the keys that a key created, by its id.
    private let created: [String: [String]]

    package init(_ keys: [ManagementKey]) {
        var created: [String: [String]] = [:]
        for key in keys {
            if case .key(let creator)? = key.createdBy { created[creator, default: []].append(key.id) }
        }
        self.created = created
    }

    /// The ids of a key, of the keys that it created, of the keys that those created, and so on.
    ///
    /// Visits each key once, also in a circle, which databases of an earlier version can contain.
    package func descendants(of id: String) -> Set<String> {
        var (found, open): (Set, [String]) = ([id], [id])
        while let next = open.popLast() {
            for child in created[next] ?? [] where found.insert(child).inserted { open.append(child) }
        }
        return found
    }
}

/// A key of the management API that the operator chose. It is valid for all apps, as long as the configuration of this
/// process names it.
package struct ConfiguredManagementKey: Sendable, Equatable {
    fileprivate static let idPrefix = "mk_configured_"

    package let key: ManagementKey

    /// - Parameters:
    ///   - secret: A secret that `ChosenSecret` accepts.
    ///   - now: The start of the process.
    package init(secret: String, name: String = "configured", now: Timestamp) {
        let hash = ManagementKeys.hash(secret)
        key = ManagementKey(
            id: Self.idPrefix + hash.prefix(8), name: name, appID: nil, hash: hash, createdBy: .configuration,
            createdAt: now)
    }
}

/// Inserts a management key, if the key that creates it is still valid and the app has fewer than the maximum.
package struct InsertManagementKey: Intent {
    package let key: ManagementKey
    /// The id of the stored key that creates this one. `nil`: the command line, a configured key or an
    /// operator does.
    package let creatorID: String?
    /// Reports the creation.
    package let events: EventFactory?

    package init(_ key: ManagementKey, creatorID: String? = nil, events: EventFactory? = nil) {
        self.key = key
        self.creatorID = creatorID
        self.events = events
    }

    package struct Facts: Sendable {
        let managementKeys: [ManagementKey]
        let failures: GuardFailures
    }

    package var reads: Read<Facts> { Read(app: nil, .managementKeys, .failures, as: Facts.init) }

    package func decide(_ facts: Facts) throws -> Decision<ManagementKeyCreation> {
        guard !facts.failures.isTaken(.managementKey(hash: key.hash)) else {
            throw StoreError.unavailable("a management key with this secret exists")
        }
        if let creatorID {
            guard let creator = facts.managementKeys.first(where: { $0.id == creatorID }),
                creator.isValid(at: key.createdAt)
            else { return Decision(.creatorInvalid) }
            if let excess = creator.excess(of: key) { return Decision(.exceeds(excess)) }
        }
        guard facts.managementKeys.count(where: { $0.appID == key.appID }) < ManagementKey.maximumPerApp else {
            return Decision(.tooMany)
        }
        return Decision(.created(key), [.insertManagementKey(key)] + (events?.created(key) ?? []))
    }
}

package enum ManagementKeyCreation: Sendable, Equatable {
    case created(ManagementKey)
    /// The key that creates was revoked or has expired.
    case creatorInvalid
    /// The new key would have a right that the key that creates it lacks.
    case exceeds(ManagementKey.Excess)
    /// `ManagementKey.maximumPerApp` keys are stored for the app, or for all apps.
    case tooMany
}

/// Replaces a management key by one with another secret and the same name, app, role and expiry.
///
/// The keys that the old one created belong to the new one. The new one belongs to the key that rotates, so that
/// revoking that key ends every secret it has seen. A key that rotates itself keeps its creator. A key cannot rotate a
/// key above it: the new secret would survive the revocation of the key that has seen it.
package struct RotateManagementKey: Intent {
    package let id: String
    package let appID: AppID
    package let newID: String
    package let newHash: String
    package let creator: ManagementKey
    package let now: Timestamp
    /// Reports both keys.
    package let events: EventFactory?

    package init(
        id: String, app: AppID, newID: String, newHash: String, creator: ManagementKey, now: Timestamp,
        events: EventFactory? = nil
    ) {
        self.id = id
        appID = app
        self.newID = newID
        self.newHash = newHash
        self.creator = creator
        self.now = now
        self.events = events
    }

    package struct Facts: Sendable {
        let managementKeys: [ManagementKey]
        let failures: GuardFailures
    }

    package var reads: Read<Facts> { Read(app: nil, .managementKeys, .failures, as: Facts.init) }

    package func decide(_ facts: Facts) throws -> Decision<ManagementKeyCreation?> {
        guard !facts.failures.isTaken(.managementKey(hash: newHash)) else {
            throw StoreError.unavailable("a management key with this secret exists")
        }
        guard creator.isValid(at: now),
            !creator.isStored || facts.managementKeys.contains(where: { $0.id == creator.id })
        else { return Decision(.creatorInvalid) }
        guard let old = facts.managementKeys.first(where: { $0.id == id && $0.appID == appID }) else {
            return Decision(nil)
        }
        let rotatesItself = old.id == creator.id
        if !rotatesItself, ManagementKeyTree(facts.managementKeys).descendants(of: old.id).contains(creator.id) {
            return Decision(.exceeds(.ancestor))
        }
        let new = ManagementKey(
            id: newID, name: old.name, appID: old.appID, hash: newHash, role: old.role,
            createdBy: rotatesItself ? old.createdBy : creator.asCreator, createdAt: now,
            expiresAt: old.expiresAt)
        if let excess = creator.excess(of: new) { return Decision(.exceeds(excess)) }
        return Decision(
            .created(new),
            [.insertManagementKey(new), .deleteManagementKey(old), .reassignManagementKeys(of: old, to: new)]
                + (events?.created(new, replacing: old) ?? []) + (events?.revoked(old) ?? []))
    }
}

/// Deletes a management key, the keys that it created, the keys that those created, and so on. Returns their ids.
///
/// A configured key is not stored. Its id deletes what it created.
package struct RevokeManagementKey: Intent {
    package let id: String
    /// Keys of another app are unknown. `nil`: every key can be revoked.
    package let appID: AppID?
    /// Reports the revocation of each key.
    package let events: EventFactory?

    package init(id: String, app: AppID? = nil, events: EventFactory? = nil) {
        self.id = id
        appID = app
        self.events = events
    }

    package var reads: Read<[ManagementKey]> { Read(app: nil, .managementKeys) }

    package func decide(_ stored: [ManagementKey]) -> Decision<[String]> {
        if let appID, !stored.contains(where: { $0.id == id && $0.appID == appID }) {
            return Decision([])
        }
        let revoked = ManagementKeyTree(stored).descendants(of: id)
        let keys = stored.filter { revoked.contains($0.id) }
        return Decision(
            keys.map(\.id), keys.map { .deleteManagementKey($0) } + keys.flatMap { events?.revoked($0) ?? [] })
    }
}

/// Estimates whether a secret that a person configured has at least 128 random bits.
///
/// The length is compared with the shortest one that 128 bits need in the alphabet of the text. Texts that repeat
/// themselves, count up or down, or have few different characters are weak at any length. Words cannot be recognized.
package struct ChosenSecret: Sendable {
    package static let rule = """
        A key needs at least 128 random bits: 22 characters with upper and lower case, 32 hexadecimal digits, 39 \
        decimal digits, or 28 letters of one case; visible ASCII without commas, repetitions and sequences. \
        Make one with: openssl rand -base64 32
        """

    private let bytes: [UInt8]

    package init(_ text: String) { bytes = Array(text.utf8) }

    /// What is wrong with the secret, without the secret. `nil`: it is strong.
    package var problem: String? {
        character.map { "contains \($0). \(Self.rule)" } ?? (isStrong ? nil : "can be guessed. \(Self.rule)")
    }

    /// A character that no secret may contain. Lists of keys are separated by commas and white space.
    private var character: String? {
        bytes.lazy.compactMap { byte in
            switch byte {
            case 0x0A, 0x0D: "a line break"
            case 0x09, 0x20: "white space"
            case Self.comma: "a comma"
            case 0x21...0x7E: nil
            case 0x80...: "a character that is not ASCII"
            default: "a control character"
            }
        }.first
    }

    package var isStrong: Bool {
        character == nil && period >= minimumLength
            && Set(bytes).count >= minimumVariety && !isSequence
    }

    /// The shortest length with 128 bits.
    private var minimumLength: Int {
        if isDecimal { return 39 }
        if bytes.allSatisfy(Self.isHexadecimal) { return 32 }
        let (hasLower, hasUpper) = (
            bytes.contains(where: Self.lower.contains), bytes.contains(where: Self.upper.contains)
        )
        guard hasLower != hasUpper else { return hasLower ? 22 : 39 }
        return bytes.contains(where: Self.digits.contains) ? 26 : 28
    }

    /// Of random texts of the minimum length, one in a million has fewer different characters.
    private var minimumVariety: Int { isDecimal ? 6 : 8 }

    private var isDecimal: Bool { bytes.allSatisfy(Self.digits.contains) }

    /// The length of the part that repeats at least once: 4 for `abcdabcdab`. Without one, the whole length.
    private var period: Int {
        guard bytes.count >= 2 else { return bytes.count }
        return (1...bytes.count / 2).first { length in
            zip(bytes, bytes.dropFirst(length)).allSatisfy { $0 == $1 }
        } ?? bytes.count
    }

    /// Whether two thirds of the characters follow their neighbour, as in `aaaa`, `1234` and `zyxw`.
    private var isSequence: Bool {
        let steps = zip(bytes, bytes.dropFirst()).count { abs(Int($1) - Int($0)) <= 1 }
        return 3 * steps > 2 * bytes.count
    }

    private static let comma = UInt8(ascii: ",")
    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    private static let lower = UInt8(ascii: "a")...UInt8(ascii: "z")
    private static let upper = UInt8(ascii: "A")...UInt8(ascii: "Z")

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        digits.contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
            || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte)
    }
}
