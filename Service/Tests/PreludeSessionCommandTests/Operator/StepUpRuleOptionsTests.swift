import SessionDomain
import Testing

@testable import prelude_session

@Suite("The options of a rule for a scope")
struct StepUpRuleOptionsTests {
    private typealias Change = @Sendable (inout StepUpRuleOptions) -> Void

    /// The options of a command line without any, but for a change.
    private static func options(_ change: Change = { _ in }) -> StepUpRuleOptions {
        var options = StepUpRuleOptions()
        (options.decision, options.hook, options.grantMode, options.grantedFor) = (nil, nil, nil, nil)
        (options.email, options.phone, options.passkey) = (false, false, false)
        change(&options)
        return options
    }

    private static func rules(_ change: Change = { _ in }) -> [StepUpConfigChange.Direct] {
        options(change).rules(for: "transfer:write").compactMap(\.direct)
    }

    @Test("Without options, the code goes to the identifier that the user has")
    func codes() {
        let rules = Self.rules()
        #expect(rules.map(\.identifierTypes) == [["email_address"], ["phone_number"]])
        #expect(rules.compactMap { $0.steps?.map(\.key) } == [["verify_email"], ["verify_sms"]])
    }

    @Test("With --passkey, one rule asks for a passkey of users with any identifier")
    func passkey() {
        let rules = Self.rules {
            $0.passkey = true
            $0.grantedFor = 60
        }
        #expect(rules.map(\.identifierTypes) == [["email_address", "phone_number"]])
        #expect(rules.first?.steps?.map(\.key) == ["verify_passkey"])
        #expect(rules.first?.grantedFor == 60)
        let narrow = Self.rules {
            $0.passkey = true
            $0.email = true
        }
        #expect(narrow.map(\.identifierTypes) == [["email_address"]])
    }

    private static let others: [Change] = [
        { $0.decision = .grant }, { $0.decision = .block }, { $0.hook = "https://backend.example.com" },
    ]

    @Test("--passkey is refused where there is no step", arguments: others.indices)
    func noStep(index: Int) throws {
        var options = Self.options(Self.others[index])
        try options.validate()
        options.passkey = true
        #expect(throws: (any Error).self) { try options.validate() }
    }

    @Test("--passkey has no effect on a scope that the service decides on")
    func managed() throws {
        let options = Self.options { $0.passkey = true }
        #expect(throws: (any Error).self) { try options.check(ReservedScope.registerPhone) }
        try options.check(ReservedScope.writePasskey)
    }
}
