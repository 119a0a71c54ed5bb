internal import SessionTokens

/// Stores a key that is sealed under another master key. Returns `false` if the stored key was sealed again in the meantime.
package struct ResealSigningKey: Intent {
    package let old: StoredSigningKey
    package let new: StoredSigningKey
    /// Reports the change.
    package let events: EventFactory?

    package init(_ old: StoredSigningKey, as new: StoredSigningKey, events: EventFactory? = nil) {
        self.old = old
        self.new = new
        self.events = events
    }

    package var facts: FactQuery { FactQuery(app: old.appID) { $0.signingKeys = old.purpose } }

    package func decide(_ facts: Facts) -> Decision<Bool> {
        guard let stored = facts.signingKeys.first(where: { $0.keyID == old.keyID }),
            stored.sealedPrivateKey == old.sealedPrivateKey
        else { return Decision(false) }
        var resealed = stored
        resealed.sealedPrivateKey = new.sealedPrivateKey
        let event = events.map { [Change.append($0.signingKeyResealed(resealed))] } ?? []
        return Decision(true, [.replaceSigningKey(stored, with: resealed)] + event)
    }
}

extension EventFactory {
    fileprivate func signingKeyResealed(_ key: StoredSigningKey) -> Event {
        make(.signingKeyResealed, ["key_id": .string(key.keyID), "purpose": .string(key.purpose.rawValue)])
    }
}
