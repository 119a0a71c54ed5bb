import FuzzReaders
import HTTPTypes
import Testing

/// Calls the whole service, from the router to the database, with mutations that are the same in each run.
@Suite("Mutated calls")
struct RouterFuzzTests {
    @Test("Every route that reads a body has a valid seed")
    func seeds() async throws {
        let fuzz = try await RouterFuzz(.bodies, seed: 1)
        let writing = fuzz.routes.filter { [.post, .put, .patch].contains($0.method) }.map(\.description)
        #expect(Set(writing).isSubset(of: RouteSeeds.bodies.keys))
        #expect(
            Set(RouteSeeds.bodies.keys).union(RouteSeeds.queries.keys).isSubset(of: fuzz.routes.map(\.description)))
    }

    @Test("The seed of each route gets a successful response")
    func goodCalls() async throws {
        var fuzz = try await RouterFuzz(.bodies, seed: 1)
        var failed: [String] = []
        // Deleting calls come last.
        for methods: [HTTPRequest.Method] in [[.get], [.put, .patch], [.post], [.delete]] {
            for route in fuzz.routes.reversed() where methods.contains(route.method) {
                let status = try await fuzz.send(to: route, isMutated: false)
                if status.kind != .successful { failed.append("\(status.code) \(route)") }
            }
        }
        #expect(
            failed == [
                // The proof is for this call, and not for one that a proxy forwards.
                "401 GET /v1/session/verify",
                // There is no such passkey.
                "404 PATCH /v1/session/me/passkeys/:credential_id",
                // The configuration already exists.
                "409 POST /v2/session/apps/:app_id/config/stepup",
                "409 POST /v2/session/apps/:app_id/config/migration",
                "409 POST /v2/session/apps/:app_id/config/login/password",
                "409 POST /v2/session/apps/:app_id/config/claims",
                // The test has no operator key for the step token, the last code was sent too recently, and no authenticator
                // has signed.
                "400 POST /v1/session/stepup/continue", "429 POST /v1/session/otp/retry",
                "401 POST /v1/session/me/passkeys/register/finish", "401 POST /v1/session/login/passkey/finish",
                "429 POST /v1/session/login/otp/retry",
                // An earlier call deleted it, or there was none.
                "404 DELETE /v2/session/apps/:app_id/users/:user_id/sessions/:session_id",
                "404 DELETE /v2/session/apps/:app_id/users/:user_id/passkeys/:credential_id",
                "404 DELETE /v2/session/apps/:app_id/keys/:key_id",
                "401 DELETE /v1/session/me/passkeys/:credential_id",
            ])
    }

    // Proves: P4
    @Test(
        "No mutation of a call gets a server error, a secret, or an invalid error body",
        arguments: RouterFuzz.Part.allCases)
    func short(_ part: RouterFuzz.Part) async throws {
        var fuzz = try await RouterFuzz(part, seed: part == .paths ? 9 : 1)
        while fuzz.runs < 500 {
            try await fuzz.next()
            await Task.yield()
        }
        #expect(fuzz.accepted.count >= 5)
    }
}
