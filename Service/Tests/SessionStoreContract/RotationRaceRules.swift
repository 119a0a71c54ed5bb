internal import SessionDomain
internal import Testing

enum RotationRaceRules {
    static let all: [ContractRule] = [
        ContractRule("Of 64 concurrent refreshes with one token, one rotates, and all get the same successor (R1)") {
            world async throws in
            let session = try await world.signIn(try await world.addUser())
            let outcomes = try await concurrently(64) { index in
                try await world.rotate(session, proof: world.proof("\(index)"))
            }
            #expect(outcomes.compactMap(\.rotatedGeneration) == [1])
            #expect(outcomes.compactMap(\.repeatedGeneration) == Array(repeating: 1, count: 63))
            #expect(try await world.store.session(session.id, app: world.app)?.generation == 1)
        },
        ContractRule("Of 64 concurrent refreshes without a key, one rotates, and all get the same successor") {
            world async throws in
            let session = try await world.signIn(try await world.addUser(), key: nil)
            let outcomes = try await concurrently(64) { _ in try await world.rotate(session, proof: nil) }
            #expect(outcomes.compactMap(\.rotatedGeneration) == [1])
            #expect(outcomes.compactMap(\.repeatedGeneration) == Array(repeating: 1, count: 63))
        },
        ContractRule("Of 64 concurrent copies of one refresh, one rotates, and the replays change nothing") {
            world async throws in
            let session = try await world.signIn(try await world.addUser())
            let outcomes = try await concurrently(64) { _ in
                try await world.rotate(session, proof: world.proof("same"))
            }
            #expect(outcomes.compactMap(\.rotatedGeneration) == [1])
            #expect(outcomes.filter { $0 == .refused(.replayedProof) }.count == 63)
            #expect(try await world.isLive(session))
        },
        ContractRule("Concurrent uses of a stolen old token end the session once, with one event") {
            world async throws in
            let session = try await world.signIn(try await world.addUser())
            _ = try await world.rotate(session, proof: world.proof("a"))
            let outcomes = try await concurrently(32) { index in
                try await world.rotate(session, proof: world.proof("\(index)", key: "thief"))
            }
            #expect(outcomes.compactMap(\.reason) == [.refreshTokenReused])
            #expect(outcomes.filter { $0 == .refused(.unauthorized) }.count == 31)
            #expect(try await world.happened() == [.sessionCreated, .refreshTokenReused, .sessionRevoked])
        },
        ContractRule("Concurrent rotations of different sessions do not affect each other") { world async throws in
            let user = try await world.addUser()
            let sessions = try await concurrently(32) { _ in try await world.signIn(user) }
            let outcomes = try await concurrently(32) { index in
                var last: RotationOutcome?
                for generation in 0..<4 {
                    last = try await world.rotate(
                        sessions[index], generation: Int64(generation), proof: world.proof("\(index).\(generation)"))
                }
                return last?.rotatedGeneration
            }
            #expect(outcomes == Array(repeating: 4, count: 32))
        },
    ]
}
