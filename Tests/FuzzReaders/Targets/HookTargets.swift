import Foundation

@testable import SessionDomain

extension FuzzTarget {
    /// What operators' backends answer, who may be wrong or taken over.
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
                    try require((1...10).contains(steps.count), "there are no steps, or too many")
                    try require(steps.allSatisfy { known.contains($0.key) }, "a step is one that nobody knows")
                    try require(Set(steps.map(\.key)).count == steps.count, "a step is there twice")
                    let orders = steps.map(\.order)
                    try require(orders == Set(orders).sorted(), "steps have no order")
                    try require(steps.allSatisfy { (0...86_400).contains($0.expirationDuration) }, "a step has no end")
                }
                return true
            }
        ]
    }

    private static func check(_ terms: GrantTerms) throws {
        let bounds = (terms.mode == .singleUse ? 0 : 1)...86_400
        try require(bounds.contains(terms.grantedFor), "a grant has no end")
    }
}
