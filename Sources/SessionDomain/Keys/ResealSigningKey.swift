/// Stores a key that is sealed under another master key. Returns `false` if the stored key was sealed again in the meantime.
package struct ResealSigningKey: Intent {
    package let old: StoredSigningKey
    package let new: StoredSigningKey

    package init(_ old: StoredSigningKey, as new: StoredSigningKey) {
        self.old = old
        self.new = new
    }

    package var facts: FactQuery { FactQuery(app: old.appID) { $0.signingKeys = old.purpose } }

    package func decide(_ facts: Facts) -> Decision<Bool> {
        guard let stored = facts.signingKeys.first(where: { $0.keyID == old.keyID }),
            stored.sealedPrivateKey == old.sealedPrivateKey
        else { return Decision(false) }
        var resealed = stored
        resealed.sealedPrivateKey = new.sealedPrivateKey
        return Decision(true, [.replaceSigningKey(stored, with: resealed)])
    }
}
