import FuzzReaders
import HTTPTypes
import Testing

extension FuzzTests {
    /// The whole service, from the router to the database, with calls that are the same each time.
    @Suite("Mutated calls")
    struct RouterFuzzTests {
        @Test("Every route that reads a body has a good one to begin with")
        func seeds() async throws {
            let fuzz = try await RouterFuzz(.bodies, seed: 1)
            let writing = fuzz.routes.filter { [.post, .put, .patch].contains($0.method) }.map(\.description)
            #expect(Set(writing).isSubset(of: RouteSeeds.bodies.keys))
            #expect(
                Set(RouteSeeds.bodies.keys).union(RouteSeeds.queries.keys).isSubset(of: fuzz.routes.map(\.description)))
        }

        @Test("A good call of each route is answered as such, so mutations start from something")
        func goodCalls() async throws {
            var fuzz = try await RouterFuzz(.bodies, seed: 1)
            var refused: [String] = []
            // What deletes comes last.
            for methods: [HTTPRequest.Method] in [[.get], [.put, .patch], [.post], [.delete]] {
                for route in fuzz.routes.reversed() where methods.contains(route.method) {
                    let status = try await fuzz.send(to: route, isMutated: false)
                    if status.kind != .successful { refused.append("\(status.code) \(route)") }
                }
            }
            #expect(
                refused == [
                    // There is one of these already.
                    "409 POST /v2/session/apps/:app_id/config/stepup",
                    "409 POST /v2/session/apps/:app_id/config/migration",
                    "409 POST /v2/session/apps/:app_id/config/login/password",
                    "409 POST /v2/session/apps/:app_id/config/claims",
                    // Nobody has a key to sign such a token with; the last code is too new.
                    "400 POST /v1/session/stepup/continue", "429 POST /v1/session/otp/retry",
                    // Gone with what was called before.
                    "404 DELETE /v2/session/apps/:app_id/users/:user_id/sessions/:session_id",
                    "404 DELETE /v2/session/apps/:app_id/keys/:key_id",
                ])
        }

        @Test("No mutation is answered with a failure, a secret, or no error body", arguments: RouterFuzz.Part.allCases)
        func short(_ part: RouterFuzz.Part) async throws {
            var fuzz = try await RouterFuzz(part, seed: 1)
            while fuzz.runs < 500 {
                try await fuzz.next()
                await Task.yield()
            }
            #expect(fuzz.accepted.count >= 8)
        }

        /// Does nothing but for `scripts/fuzz`, which says what to run and for how long.
        @Test("As long as somebody asks for", arguments: RouterFuzz.Part.allCases)
        func long(_ part: RouterFuzz.Part) async throws {
            guard let wish = FuzzWish(), wish.name == "all" || wish.name == part.rawValue else { return }
            var fuzz = try await RouterFuzz(part, seed: wish.seed)
            let start = ContinuousClock.now
            while start.duration(to: .now) < .seconds(wish.seconds) { try await fuzz.next() }
            print("fuzz: \(part.rawValue): \(fuzz.runs) runs, \(fuzz.accepted.values.reduce(0, +)) accepted")
        }
    }
}
