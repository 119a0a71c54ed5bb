/// What an operator refuses for a time: calls of apps from an address or a network, or logins with an identifier.
package struct Block: Sendable, Equatable, Codable {
    package enum Subject: Sendable, Equatable {
        /// An IP address, or a network in CIDR notation.
        case network(String)
        case identifier(CanonicalIdentifier)
    }

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
        switch subject {
        case .network(let text):
            guard let parsed = IPNetwork(text), parsed.isNarrowEnough else {
                throw .invalidField(
                    "address",
                    "must be an IP address, or a network with at least 8 bits, 16 for IPv6, such as 203.0.113.0/24")
            }
            (network, identifier) = (text.lowercased(), nil)
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

    /// The subject as operators write it.
    package var name: String { network ?? identifier?.value ?? "" }

    fileprivate func concerns(_ address: [UInt8]) -> Bool {
        network.flatMap(IPNetwork.init)?.contains(address) ?? false
    }

    fileprivate func concerns(_ other: CanonicalIdentifier) -> Bool { identifier == other }

    /// The name in the events of settings. An identifier is masked.
    var auditName: String { "blocks." + (network ?? identifier?.masked ?? "") }
}

extension App {
    /// Refuses a call from an address that is blocked.
    ///
    /// - Throws: `Refusal.rateLimited` until the end of the block: the SDK tries again later, and signs no user out.
    package func requireNotBlocked(address: String, now: Timestamp) throws(Refusal) {
        guard !blocks.isEmpty, let bytes = IPNetwork.bytes(of: address) else { return }
        try refuse(blocks.filter { $0.until > now && $0.concerns(bytes) }, now: now)
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
