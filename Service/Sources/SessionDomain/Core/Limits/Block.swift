internal import SessionTokens

/// What an operator refuses for a time: calls of apps from an address or a network, or logins with an identifier.
package struct Block: Sendable, Equatable, Codable {
    package enum Subject: Sendable, Equatable {
        /// An IP address, or a network in CIDR notation.
        case network(String)
        case identifier(CanonicalIdentifier)

        /// The same subject, with a network in its only spelling, so that equal subjects are the same block.
        ///
        /// - Throws: `Refusal.invalidField` for a text that is no network.
        func canonical() throws(Refusal) -> Self {
            guard case .network(let text) = self else { return self }
            guard let network = IPNetwork(text) else { throw Block.invalidNetwork }
            return .network(network.text)
        }
    }

    /// The text of an `IPNetwork`.
    private let network: String?
    private let identifier: CanonicalIdentifier?
    package let until: Timestamp
    /// Why, for other operators.
    package let note: String?
    package let createdAt: Timestamp

    package var subject: Subject? { network.map(Subject.network) ?? identifier.map(Subject.identifier) }

    /// The most blocks of an app. All of them are compared with each call, and stored with its settings.
    package static let maximum = 200
    /// Seconds of a block: a minute to a year.
    package static let durations = 60...31_536_000
    package static let maximumNoteLength = 200

    /// - Parameter seconds: How long the block lasts.
    /// - Throws: `Refusal.invalidField` for a network of more than 2^24 IPv4 addresses, and for values out of range.
    package init(_ subject: Subject, seconds: Int, note: String?, now: Timestamp) throws(Refusal) {
        switch try subject.canonical() {
        case .network(let text):
            guard IPNetwork(text)?.isNarrowEnough ?? false else { throw Self.invalidNetwork }
            (network, identifier) = (text, nil)
        case .identifier(let value): (network, identifier) = (nil, value)
        }
        guard Self.durations.contains(seconds) else {
            throw .invalidField("seconds", "must be 60 to 31536000: a minute to a year")
        }
        let note = note.flatMap { $0.isEmpty ? nil : $0 }
        guard (note ?? "").count <= Self.maximumNoteLength else {
            throw .invalidField("note", "must have at most \(Self.maximumNoteLength) characters")
        }
        until = now + seconds
        self.note = note
        createdAt = now
    }

    fileprivate static let invalidNetwork = Refusal.invalidField(
        "address", "must be an IP address, or a network with at least 8 bits, 16 for IPv6, such as 203.0.113.0/24")

    private enum CodingKeys: CodingKey { case network, identifier, until, note, createdAt }

    /// Decodes a stored block. Earlier versions stored networks as operators had written them.
    package init(from decoder: any Decoder) throws {
        let stored = try decoder.container(keyedBy: CodingKeys.self)
        let written = try stored.decodeIfPresent(String.self, forKey: .network)
        network = written.map { text in IPNetwork.stored(text)?.text ?? text }
        identifier = try stored.decodeIfPresent(CanonicalIdentifier.self, forKey: .identifier)
        until = try stored.decode(Timestamp.self, forKey: .until)
        note = try stored.decodeIfPresent(String.self, forKey: .note)
        createdAt = try stored.decode(Timestamp.self, forKey: .createdAt)
    }

    /// The subject as operators write it.
    package var name: String { network ?? identifier?.value ?? "" }

    fileprivate func concerns(_ address: [UInt8]) -> Bool {
        network.flatMap { IPNetwork($0) }?.contains(address) ?? false
    }

    fileprivate func concerns(_ other: CanonicalIdentifier) -> Bool { identifier == other }

    /// The block in the events of settings. An identifier is masked, and still tells blocks apart whose masked names are
    /// the same.
    var audited: AuditedSetting {
        let value: [String: JSONValue] = [
            "until": .string(until.rfc3339), "note": note.map(JSONValue.string) ?? .null,
            "created_at": .string(createdAt.rfc3339),
        ]
        return AuditedSetting(
            "blocks." + (network ?? identifier?.masked ?? ""), .object(value), subject: identifier?.key ?? "")
    }
}

extension App {
    /// Refuses a call from an address that is blocked.
    ///
    /// - Throws: `Refusal.rateLimited` until the end of the block: the SDK tries again later, and signs no user out.
    package func requireNotBlocked(address: String, now: Timestamp) throws(Refusal) {
        try refuse(blocks(of: address, now: now), now: now)
    }

    /// Whether an address is blocked, for callers that cannot be asked to try again later.
    package func isBlocked(address: String, now: Timestamp) -> Bool { !blocks(of: address, now: now).isEmpty }

    private func blocks(of address: String, now: Timestamp) -> [Block] {
        guard !blocks.isEmpty, let bytes = IPNetwork.bytes(of: address) else { return [] }
        return blocks.filter { $0.until > now && $0.concerns(bytes) }
    }

    /// Refuses a login with an identifier that is blocked, whether a user has it or not.
    package func requireNotBlocked(_ identifier: CanonicalIdentifier, now: Timestamp) throws(Refusal) {
        try refuse(blocks.filter { $0.until > now && $0.concerns(identifier) }, now: now)
    }

    private func refuse(_ found: [Block], now: Timestamp) throws(Refusal) {
        guard let end = found.map(\.until).max() else { return }
        throw .rateLimited(retryAfter: end.retryAfter(from: now))
    }

    /// Adds a block, in place of an earlier one of the same subject. Those that have ended are removed.
    mutating func add(_ block: Block, now: Timestamp) throws(Refusal) {
        blocks.removeAll { $0.until <= now || $0.subject == block.subject }
        guard blocks.count < Block.maximum else {
            throw .conflict("the app has \(Block.maximum) blocks. Remove some, or block at the proxy")
        }
        blocks.append(block)
    }
}
