/// The nonce window in which a nonce was issued.
enum NonceWindow: UInt8 {
    case current = 1
    case previous = 2

    /// The window after the next one has begun. `nil` for an expired nonce.
    var next: NonceWindow? { self == .current ? .previous : nil }
}

/// A refresh request that was sent. The network delivers it at most twice, at any time.
struct Request {
    var generation: UInt8
    var attempt: Attempt
    var nonce: NonceWindow?
    /// Whether it was sent more than a minute ago, or by a slow clock.
    var isOld: Bool
    /// Whether its `iat` is before the last rotation, and before the last rotation in the backup.
    var isBeforeRotation: Bool, isBeforeBackup: Bool
    /// Whether replay memory has its proof, and whether that of the backup has it.
    var isSeen = false, isSeenInBackup = false
    /// How often it was delivered.
    var deliveries: UInt8 = 0
    /// Whether a process waits for the answer.
    var isAwaited = true
    /// The answer, if it was sent and the process has not received it.
    var answer: Answer?

    /// A number for each content, never 0.
    var key: UInt32 {
        var bits = UInt32(generation) << 8 | UInt32(attempt.number)
        bits = bits << 7 | UInt32(nonce?.rawValue ?? 0) | (isOld ? 4 : 0) | (isBeforeRotation ? 8 : 0)
        bits |= (isBeforeBackup ? 16 : 0) | (isSeen ? 32 : 0) | (isSeenInBackup ? 64 : 0)
        bits = bits << 3 | UInt32(deliveries) << 1 | (isAwaited ? 1 : 0)
        return bits << 7 | UInt32(answer?.number ?? 0) << 1 | 1
    }
}

/// Up to three requests. Their order has no meaning.
struct Network {
    private var slots: (Request?, Request?, Request?) = (nil, nil, nil)
    private(set) var count = 0

    subscript(index: Int) -> Request {
        get {
            let slot = index == 0 ? slots.0 : index == 1 ? slots.1 : slots.2
            guard let slot else { preconditionFailure("no request \(index)") }
            return slot
        }
        set { set(newValue, at: index) }
    }

    private mutating func set(_ request: Request?, at index: Int) {
        switch index {
        case 0: slots.0 = request
        case 1: slots.1 = request
        default: slots.2 = request
        }
    }

    /// The index of the request whose answer a process waits for.
    var awaited: Int? { (0..<count).first { self[$0].isAwaited } }

    mutating func add(_ request: Request) {
        set(request, at: count)
        count += 1
    }

    mutating func remove(at index: Int) {
        count -= 1
        if index != count { self[index] = self[count] }
        set(nil, at: count)
    }

    mutating func updateAll(_ change: (inout Request) -> Void) {
        for index in 0..<count { change(&self[index]) }
    }

    /// The keys of the requests in descending order, filled with 0.
    var keys: (UInt32, UInt32, UInt32) {
        var (first, second, third) = (slots.0?.key ?? 0, slots.1?.key ?? 0, slots.2?.key ?? 0)
        if first < second { swap(&first, &second) }
        if second < third { swap(&second, &third) }
        if first < second { swap(&first, &second) }
        return (first, second, third)
    }
}

/// What the service answers to a refresh.
enum Answer: Hashable {
    /// 200 with the refresh token of this generation.
    case tokens(UInt8)
    /// 400 `use_dpop_nonce`.
    case nonceDemanded
    /// 400 `invalid_dpop_proof`.
    case replayed
    /// 409 `token_reused`.
    case spent
    /// 401 `unauthorized`.
    case unauthorized

    /// Below 64, never 0.
    var number: UInt8 {
        switch self {
        case .nonceDemanded: 1
        case .replayed: 2
        case .spent: 3
        case .unauthorized: 4
        case .tokens(let generation): 8 + generation
        }
    }
}
