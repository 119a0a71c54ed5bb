/// A key that at most one row may have. All but management keys are unique within one app.
package enum UniqueKey: Hashable, Sendable {
    /// The replay key of a DPoP proof.
    case proof(String)
    /// Something that is redeemed once: the `jti` of a challenge token, or of an operator's step token.
    case redemption(String)
    case identifier(CanonicalIdentifier)
    case externalID(String)
    case app(AppID)
    case managementKey(hash: String)
}

/// Why a change was not applied. A store throws it to itself, and starts the intent again.
package enum FailedGuard: Error, Equatable {
    /// The row must be new, but another row has this key.
    case taken(UniqueKey)
    /// The counter has reached its limit until this time.
    case exhausted(CounterKey, until: Timestamp)
    /// The row is not as the intent read it.
    case stale
}

/// The guards that failed in earlier attempts of one intent.
package struct GuardFailures: Sendable, Equatable {
    /// Attempts per intent. One more failure is an error.
    package static let maximumAttempts = 8

    package private(set) var taken: Set<UniqueKey> = []
    package private(set) var exhausted: [CounterKey: Timestamp] = [:]

    package init(_ failures: FailedGuard...) {
        for failure in failures { add(failure) }
    }

    package mutating func add(_ other: GuardFailures) {
        taken.formUnion(other.taken)
        exhausted.merge(other.exhausted) { _, latest in latest }
    }

    package mutating func add(_ failure: FailedGuard) {
        switch failure {
        case .taken(let key): taken.insert(key)
        case .exhausted(let key, let until): exhausted[key] = until
        case .stale: break
        }
    }
}
