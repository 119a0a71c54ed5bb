internal import SessionDomain
internal import Testing

enum ReplayMemoryRules {
    static let all: [ContractRule] = [
        ContractRule("A proof is accepted once") { world async throws in
            #expect(try await world.store.perform(ReserveProof(world.proof("a"), app: world.app, now: world.now)))
            #expect(
                try await world.store.perform(ReserveProof(world.proof("a"), app: world.app, now: world.now)) == false)
        },
        ContractRule("Of many concurrent uses of one proof, one succeeds") { world async throws in
            let answers = try await concurrently(64) { _ in
                try await world.store.perform(ReserveProof(world.proof("a"), app: world.app, now: world.now))
            }
            #expect(answers.filter { $0 }.count == 1)
        },
        ContractRule("The same proof name by another key, or in another app, is another proof") { world async throws in
            #expect(try await world.store.perform(ReserveProof(world.proof("a"), app: world.app, now: world.now)))
            let byAnother = world.proof("a", key: "key-2")
            #expect(try await world.store.perform(ReserveProof(byAnother, app: world.app, now: world.now)))
            #expect(try await world.store.perform(ReserveProof(world.proof("a"), app: world.otherApp, now: world.now)))
        },
        ContractRule("A proof is remembered until it expires, and then it can be used again once") {
            world async throws in
            let proof = world.proof("a", lasts: 60)
            #expect(try await world.store.perform(ReserveProof(proof, app: world.app, now: world.now)))
            #expect(try await world.store.perform(ReserveProof(proof, app: world.app, now: world.now + 59)) == false)
            let later = world.proof("a", lasts: 120)
            #expect(try await world.store.perform(ReserveProof(later, app: world.app, now: world.now + 60)))
            #expect(try await world.store.perform(ReserveProof(later, app: world.app, now: world.now + 60)) == false)
            #expect(try await world.store.perform(ReserveProof(later, app: world.app, now: world.now + 119)) == false)
        },
        ContractRule("A session that was given a nonce demands one from then on, and no other session does") {
            world async throws in
            let user = try await world.addUser()
            let (one, other) = (try await world.signIn(user), try await world.signIn(user))
            try await world.store.perform(DemandNonce(session: one.id, app: world.app))
            try await world.store.perform(DemandNonce(session: other.id, app: world.otherApp))
            try await world.store.perform(DemandNonce(session: "ses_unknown", app: world.app))
            #expect(try await world.store.session(one.id, app: world.app)?.demandsNonce == true)
            #expect(try await world.store.session(other.id, app: world.app) == other)
        },
    ]
}
