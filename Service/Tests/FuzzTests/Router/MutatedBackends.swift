import Foundation
import FuzzReaders
import SessionDomain
import Synchronization

/// The backends of operators. Half of their responses are valid, half are mutated.
final class MutatedBackends: Egress {
    private let state: Mutex<(mutator: Mutator, random: SplitMix64)>

    init(seed: UInt64) {
        state = Mutex((Mutator(seed: seed, seeds: [], words: []), SplitMix64(seed: seed)))
    }

    func send(_ request: EgressRequest) async throws(EgressError) -> EgressAnswer {
        var responses = RouteSeeds.responses.first { request.url.hasSuffix($0.key) }?.value ?? ["{}"]
        // The activation of a webhook requires the challenge in the response.
        if let asked = request.url.firstMatch(of: /[?&]challenge=([0-9]+)/) {
            responses = [#"{"challenge":\#(asked.1)}"#]
        }
        let body = state.withLock { state in
            state.mutator.seeds = responses.map { Array($0.utf8) }
            // Never mutate the key set: without it the service answers 503.
            let isMutated = !request.url.hasSuffix("/jwks") && Bool.random(using: &state.random)
            return isMutated ? state.mutator.next() : state.mutator.seeds[0]
        }
        return EgressAnswer(status: 200, body: Data(body))
    }

    func validate(url: String) throws(EgressError) {
        guard url.hasPrefix("https://") else { throw .refusedURL("must begin with https://") }
    }
}
