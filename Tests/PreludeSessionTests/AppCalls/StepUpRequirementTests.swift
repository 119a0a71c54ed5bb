import Testing

@testable import PreludeSession

@Suite("What a backend's response says about a step-up")
struct StepUpRequirementTests {
    @Test(
        "The scopes of a demand are read in each form of its header field (RFC 9110 §11.6.1)",
        arguments: [
            #"Bearer error="insufficient_user_authentication", scope="transfer:write""#,
            #"Bearer realm="a, \"b\"=c", error="insufficient_scope", scope="transfer:write""#,
            "Bearer error=insufficient_scope,scope=transfer:write",
            #"DPoP  Scope = "transfer:write" , error=insufficient_scope"#,
            #"Basic, Bearer scope="other" , DPoP algs="ES256", error="insufficient_scope", scope="transfer:write""#,
            #"Negotiate YWJj==, Bearer error="insufficient_scope", scope="transfer:write", error_description="a=b, c""#,
        ])
    func forms(challenge: String) {
        for status in [401, 403] {
            #expect(StepUpRequirement(status: status, challenges: [challenge])?.scopes == ["transfer:write"])
        }
        #expect(StepUpRequirement(status: 400, challenges: [challenge]) == nil)
    }

    @Test("A demand may be in the second field, name several scopes, or none")
    func several() {
        let demand = #"Bearer error="insufficient_scope", scope="  read transfer:write ""#
        #expect(
            StepUpRequirement(status: 403, challenges: ["Basic realm=x", demand])?.scopes == ["read", "transfer:write"])
        for none in [#"Bearer error="insufficient_scope""#, #"Bearer error="insufficient_scope", scope="""#] {
            #expect(StepUpRequirement(status: 403, challenges: [none])?.scopes == [])
        }
    }

    @Test("A backend gets no scope of the session service, such as the one to change the password")
    func reserved() throws {
        let demand = #"Bearer error="insufficient_scope", scope="prld:pwd:write transfer:write prld:phone:register""#
        #expect(StepUpRequirement(status: 403, challenges: [demand])?.scopes == ["transfer:write"])
        let only = #"Bearer error="insufficient_scope", scope="prld:pwd:write""#
        let requirement = try #require(StepUpRequirement(status: 403, challenges: [only]))
        #expect(requirement.decision(refused: [], current: []) == nil)
    }

    @Test(
        "Other responses ask for no step-up",
        arguments: [
            "", "Bearer", #"Bearer error="invalid_token", scope="transfer:write""#, #"error="insufficient_scope""#,
            #"Bearer realm="error=insufficient_scope, scope=a""#, #"Bearer realm="unclosed, error=insufficient_scope"#,
        ])
    func others(challenge: String) {
        #expect(StepUpRequirement(status: 401, challenges: [challenge]) == nil)
        #expect(StepUpRequirement(status: 401, challenges: []) == nil)
    }

    @Test("A missing scope needs a step-up, a newer token is sent, and a refused complete token gets a new grant")
    func decision() throws {
        let demand = #"Bearer error="insufficient_scope", scope="a b""#
        let requirement = try #require(StepUpRequirement(status: 403, challenges: [demand]))
        #expect(requirement.decision(refused: [], current: []) == .stepUp("a"))
        #expect(requirement.decision(refused: ["a"], current: ["a"]) == .stepUp("b"))
        #expect(requirement.decision(refused: ["a"], current: ["a", "b"]) == .send)
        #expect(requirement.decision(refused: ["a", "b"], current: ["a", "b"]) == .stepUp("a"))
        let none = try #require(StepUpRequirement(status: 403, challenges: ["Bearer error=insufficient_scope"]))
        #expect(none.decision(refused: [], current: []) == nil)
    }
}
