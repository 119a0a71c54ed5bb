/// Runs a key rotation. Returns `nil` for an unknown app. Nothing is written if a key is needed that was not supplied.
package struct RotateSigningKeys: Intent {
    package let rotation: KeyRotation

    package init(_ rotation: KeyRotation) { self.rotation = rotation }

    package var facts: FactQuery {
        FactQuery(app: rotation.appID) {
            $0.settings = true
            $0.signingKeys = rotation.purpose
        }
    }

    package func decide(_ facts: Facts) -> Decision<KeyRotationDecision?> {
        guard let app = facts.settings else { return Decision(nil) }
        let decision = rotation.decide(facts.signingKeys, app: app)
        let changed = decision.changed.compactMap { key in
            facts.signingKeys.first { $0.keyID == key.keyID }.map { Change.replaceSigningKey($0, with: key) }
        }
        let removed = decision.removed.map { Change.deleteSigningKey($0) }
        let added = decision.added.map { [Change.insertSigningKey($0)] } ?? []
        return Decision(decision, changed + removed + added + rotation.events(of: decision).map { .append($0) })
    }
}
