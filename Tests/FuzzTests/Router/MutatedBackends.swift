import Foundation
import FuzzReaders
import SessionDomain
import Synchronization

/// The backends of operators: half of what they answer is right, half a mutation of it.
final class MutatedBackends: Egress {
    private let state: Mutex<(mutator: Mutator, random: SplitMix64)>

    init(seed: UInt64) {
        state = Mutex((Mutator(seed: seed, seeds: [], words: []), SplitMix64(seed: seed)))
    }

    func send(_ request: EgressRequest) async throws(EgressError) -> EgressAnswer {
        var answers = RouteSeeds.answers.first { request.url.hasSuffix($0.key) }?.value ?? ["{}"]
        // The question at the activation of a webhook is to be repeated.
        if let asked = request.url.firstMatch(of: /[?&]challenge=([0-9]+)/) {
            answers = [#"{"challenge":\#(asked.1)}"#]
        }
        let body = state.withLock { state in
            state.mutator.seeds = answers.map { Array($0.utf8) }
            // Without the operator's keys a step can be neither right nor wrong, which is 503 and no fault of the caller.
            let isMutated = !request.url.hasSuffix("/jwks") && Bool.random(using: &state.random)
            return isMutated ? state.mutator.next() : state.mutator.seeds[0]
        }
        return EgressAnswer(status: 200, body: Data(body))
    }

    func validate(url: String) throws(EgressError) {
        guard url.hasPrefix("https://") else { throw .refusedURL("must begin with https://") }
    }
}
