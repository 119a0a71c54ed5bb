/// Remembers a proof that comes with an access token. Returns `false` if it was used before (RFC 9449 §11.1).
package struct ReserveProof: Intent {
    package let proof: ProofUse
    package let appID: AppID
    package let now: Timestamp

    package init(_ proof: ProofUse, app: AppID, now: Timestamp) {
        self.proof = proof
        appID = app
        self.now = now
    }

    package var facts: FactQuery { FactQuery(app: appID) }

    package func decide(_ facts: Facts) -> Decision<Bool> {
        if facts.isTaken(.proof(proof.replayKey)) { return Decision(false) }
        return Decision(true, [.reserveProof(proof, app: appID, now: now)])
    }
}
