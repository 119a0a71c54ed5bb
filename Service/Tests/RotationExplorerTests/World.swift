/// One state of everything that takes part: the service's database, the device with its processes, the network, a thief.
///
/// Times are relative, and nothing has a random name. So states that behave in the same way are equal.
struct World {
    /// The session's row, and the row in a copy of the database.
    var row: RowID
    var backup: RowID?
    /// The session record that the processes of the device share. `nil` after a sign-out.
    var store: StoredRecord?
    /// The refresh in progress. A lock of the store admits one.
    var refresh: Refresh?
    /// The nonce that each process knows. The process that refreshes is the first.
    var nonce: NonceWindow?, otherNonce: NonceWindow?
    /// Whether the device's clock is slow. Its proofs without a nonce are then never fresh.
    let hasSlowClock: Bool
    /// What the network still delivers.
    var network = Network()
    var thief: Thief?
    /// How many attempt ids were created and not stored, in an SDK that breaks this rule.
    var attemptsNotStored: UInt8 = 0

    init(row: RowID, hasSlowClock: Bool = false) {
        self.row = row
        self.hasSlowClock = hasSlowClock
        store = StoredRecord(generation: 0)
    }
}

/// The number of a row in `PlayedService`.
typealias RowID = UInt16

/// The session record of the device: the generation of its refresh token, and the attempt id of a rotation that has begun.
struct StoredRecord: Hashable {
    var generation: UInt8
    var attempt = Attempt.none
}

/// A refresh of one process, from reading the store to its end.
struct Refresh {
    /// The state of the SDK's exchange, as a number in `PlayedSDK`.
    var exchange: UInt16
    /// What the process read before it sent.
    var record: StoredRecord
}

/// Another holder of the device's key and of a copy of its store.
struct Thief {
    /// The newest token, and the attempt id in the copied record.
    var record: StoredRecord
    /// Rotations that were completed after the copy and after the last restored backup, up to 2.
    var rotations: UInt8 = 0, rotationsOfOwner: UInt8 = 0
    /// Whether the database was set back after the copy.
    var isRestored = false
    /// Whether the thief completed the last rotation, and how often that changed.
    var wasLast = false, turns: UInt8 = 0

    mutating func completed(byThief: Bool) {
        if byThief { rotations = min(2, rotations + 1) } else { rotationsOfOwner = min(2, rotationsOfOwner + 1) }
        if wasLast != byThief { turns = min(7, turns + 1) }
        wasLast = byThief
    }

    mutating func restored() { self = Thief(record: record, isRestored: true) }
}

/// A number for each state. States that behave differently have different numbers.
struct WorldKey: Hashable {
    private let database: UInt64, device: UInt64, thief: UInt64, requests: UInt64

    init(_ world: World) {
        let network = world.network.keys
        database = UInt64(world.row) | UInt64(world.backup ?? .max) << 16 | UInt64(network.0) << 32
        requests = UInt64(network.1) | UInt64(network.2) << 32
        device =
            UInt64(Self.code(world.store)) << 32 | UInt64(Self.code(world.refresh))
            | UInt64(world.attemptsNotStored) << 52 | UInt64(world.nonce?.rawValue ?? 0) << 48
            | UInt64(world.otherNonce?.rawValue ?? 0) << 50
        thief = UInt64(Self.code(world.thief))
    }

    private static func code(_ record: StoredRecord?) -> UInt32 {
        record.map { UInt32($0.generation) << 8 | UInt32($0.attempt.number) } ?? 0xffff
    }

    private static func code(_ refresh: Refresh?) -> UInt32 {
        guard let refresh else { return 0 }
        return (code(refresh.record) << 12 | UInt32(refresh.exchange)) + 1
    }

    private static func code(_ thief: Thief?) -> UInt32 {
        guard let thief else { return 0 }
        let flags: UInt32 = (thief.isRestored ? 1 : 0) | (thief.wasLast ? 2 : 0)
        let counts = UInt32(thief.rotations) << 5 | UInt32(thief.rotationsOfOwner) << 3 | UInt32(thief.turns)
        return code(thief.record) << 12 | counts << 2 | flags | 1 << 31
    }
}
