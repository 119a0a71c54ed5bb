import Testing

@testable import PreludeSession

@Suite("The outcome of a refresh")
struct RefreshOutcomeTests {
    @Test("Every outcome but a renewed session throws its error")
    func errors() throws {
        let user = PreludeUser(
            accessToken: "a", profile: try PreludeProfile(accessToken: TestToken.access("a")))
        #expect(try RefreshOutcome.renewed(user).user() == user)
        #expect(RefreshOutcome.renewed(user).error == nil)
        let table: [(RefreshOutcome, String)] = [
            (.superseded, "refreshFailed"), (.challengeRejected(.tokenReused("m")), "tokenReused"),
            (.challengeFailed(.internalServerError("m")), "internalServerError"),
            (.ended(.unauthorized("m")), "unauthorized"),
        ]
        for (outcome, name) in table {
            #expect(outcome.error?.description.hasPrefix(name + "(") == true, "\(outcome)")
            #expect(throws: PreludeSessionError.self) { try outcome.user() }
        }
    }
}
