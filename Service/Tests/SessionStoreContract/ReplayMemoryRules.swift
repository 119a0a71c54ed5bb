internal import SessionDomain
internal import Testing

enum ReplayMemoryRules {
    static let all: [ContractRule] = [
        ContractRule("A proof is accepted once") { world async throws in
            #expect(try await world.store.perform(ReserveProof(world.proof("a"), app: world.app, now: world.now)))
            #expect(
                try await world.store.perform(ReserveProof(world.proof("a"), app: world.app, now: world.now)) == false)
        },
        // Proves: D15
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
            for (session, app) in [(one.id, world.app), (other.id, world.otherApp), ("ses_unknown", world.app)] {
                let outcome = try await world.store.perform(
                    AdmitCaller(
                        app: app, session: session, user: user.id, proof: world.proof("a", isFresh: false),
                        now: world.now))
                #expect(outcome == (session == one.id ? .nonceRequired : .refused(.unauthorized)))
            }
            #expect(try await world.store.session(one.id, app: world.app)?.demandsNonce == true)
            #expect(try await world.store.session(other.id, app: world.app) == other)
        },
        ContractRule("A call with a proof reads its session and user, and the proof is accepted once") {
            world async throws in
            let user = try await world.addUser()
            let session = try await world.signIn(user)
            let intent = AdmitCaller(
                app: world.app, session: session.id, user: user.id, proof: world.proof("a"), now: world.now)
            #expect(try await world.store.perform(intent) == .admitted(session, user))
            #expect(try await world.store.perform(intent) == .refused(.replayedProof))
        },
    ]
}
