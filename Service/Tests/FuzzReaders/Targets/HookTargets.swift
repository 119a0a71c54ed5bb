import Foundation

@testable import SessionDomain

extension FuzzTarget {
    /// Responses of operators' backends, which may be faulty or compromised.
    static func hooks() -> [FuzzTarget] {
        let known = ["verify_email", "face"]
        return [
            FuzzTarget(
                "hook answers",
                seeds: [
                    #"{"status":"continue","grant_mode":"session-bound","granted_for":300}"#, #"{"status":"block"}"#,
                    #"{"status":"review","grant_mode":"single-use","steps":[{"order":2,"key":"face"},"#
                        + #"{"order":1,"key":"verify_email","expiration_duration":60}]}"#,
                ],
                words: [
                    #""steps":["#, #"{"order":1,"key":"face"},"#, #""granted_for":"#, "86400", "86401", "single-use",
                    "profile-bound", "review", "1.5", "-0",
                ]
            ) { bytes in
                let answer = EgressAnswer(status: 200, body: Data(bytes))
                guard let decision = try? HookAnswer.read(answer, knows: known.contains) else { return false }
                switch decision {
                case .block: break
                case .grant(let terms): try check(terms)
                case .review(let terms, let steps):
                    try check(terms)
                    try require((1...10).contains(steps.count), "accepted no steps, or too many")
                    try require(steps.allSatisfy { known.contains($0.key) }, "accepted an unknown step")
                    try require(Set(steps.map(\.key)).count == steps.count, "accepted a step twice")
                    let orders = steps.map(\.order)
                    try require(orders == Set(orders).sorted(), "steps are not in order")
                    try require(
                        steps.allSatisfy { (0...86_400).contains($0.expirationDuration) },
                        "accepted a step of invalid duration")
                }
                return true
            }
        ]
    }

    private static func check(_ terms: GrantTerms) throws {
        let bounds = (terms.mode == .singleUse ? 0 : 1)...86_400
        try require(bounds.contains(terms.grantedFor), "accepted a grant of invalid duration")
    }
}
