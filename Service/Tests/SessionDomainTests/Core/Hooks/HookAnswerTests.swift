import Foundation
import SessionTokens
import Testing

@testable import SessionDomain

/// A valid answer of a hook that requires steps. Tests change one part of it.
struct HookAnswerDraft: Sendable {
    var status = 200
    var members: [String: JSONValue] = [
        "status": "review", "grant_mode": "session-bound", "granted_for": .int(300),
        "steps": .array([
            .object(["order": .int(2), "key": "kyc", "expiration_duration": .int(60)]),
            .object(["order": .int(1), "key": "verify_email", "expiration_duration": .int(0)]),
        ]),
    ]
    var body: Data?

    init(_ change: (inout HookAnswerDraft) -> Void = { _ in }) { change(&self) }

    /// Changes or removes one member.
    init(_ member: String, _ value: JSONValue?) { members[member] = value }

    /// Changes or removes one member of the first step.
    init(step member: String, _ value: JSONValue?) {
        guard case .array(var steps) = members["steps"], case .object(var step) = steps[0] else { return }
        step[member] = value
        steps[0] = .object(step)
        members["steps"] = .array(steps)
    }

    var answer: EgressAnswer {
        get throws { EgressAnswer(status: status, body: try body ?? TokenJSON.encode(members)) }
    }

    func read() throws -> StepUpDecision {
        try HookAnswer.read(try answer) { ["kyc", StepUpStep.verifyEmail, StepUpStep.verifySMS].contains($0) }
    }
}

@Suite("Answer of a delegation hook")
struct HookAnswerTests {
    private static let steps = [
        StepUpStep(order: 1, key: "verify_email", expirationDuration: 0),
        StepUpStep(order: 2, key: "kyc", expirationDuration: 60),
    ]

    @Test("A review has terms, and steps sorted by their order")
    func review() throws {
        let terms = GrantTerms(mode: .sessionBound, grantedFor: 300)
        #expect(try HookAnswerDraft().read() == .review(terms, steps: Self.steps))
    }

    @Test("Continue has terms and needs no steps; block needs neither", arguments: GrantMode.allCases)
    func others(mode: GrantMode) throws {
        let grant = HookAnswerDraft {
            $0.members = ["status": "continue", "grant_mode": .string(mode.rawValue), "granted_for": .int(1)]
        }
        #expect(try grant.read() == .grant(GrantTerms(mode: mode, grantedFor: 1)))
        #expect(try HookAnswerDraft { $0.members = ["status": "block"] }.read() == .block)
    }

    @Test(
        "A single-use grant needs no time limit: granted_for may be 0 or missing", arguments: [JSONValue.int(0), nil])
    func singleUse(grantedFor: JSONValue?) throws {
        let draft = HookAnswerDraft {
            $0.members["grant_mode"] = "single-use"
            $0.members["granted_for"] = grantedFor
        }
        #expect(try draft.read() == .review(GrantTerms(mode: .singleUse, grantedFor: 0), steps: Self.steps))
    }

    @Test(
        "Limits are inclusive, unknown members are ignored, and every 2xx status is accepted",
        arguments: [
            HookAnswerDraft("granted_for", .int(86_400)), HookAnswerDraft("granted_for", .int(1)),
            HookAnswerDraft(step: "expiration_duration", .int(86_400)), HookAnswerDraft(step: "order", .int(0)),
            HookAnswerDraft(step: "order", .int(1000)), HookAnswerDraft(step: "expiration_duration", nil),
            HookAnswerDraft("more", "of it"), HookAnswerDraft { $0.status = 299 },
        ])
    func accepted(draft: HookAnswerDraft) throws {
        guard case .review = try draft.read() else {
            Issue.record("not a review")
            return
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let failure: HookFailure
        let draft: HookAnswerDraft
        let testDescription: String

        init(_ failure: HookFailure, _ name: String, _ draft: HookAnswerDraft) {
            self.failure = failure
            self.draft = draft
            testDescription = "\(failure.rawValue): \(name)"
        }
    }

    /// One row for each value of a member. `nil` removes the member.
    private static func rows(_ failure: HookFailure, _ member: String, _ values: [JSONValue?]) -> [Row] {
        values.map { Row(failure, "\(member) \(String(describing: $0))", HookAnswerDraft(member, $0)) }
    }

    /// The same for a member of a step.
    private static func rows(step member: String, _ values: [JSONValue?]) -> [Row] {
        values.map { Row(.invalidStep, "\(member) \(String(describing: $0))", HookAnswerDraft(step: member, $0)) }
    }

    private static func rows(_ failure: HookFailure, bodies: [String]) -> [Row] {
        bodies.map { text in Row(failure, text, HookAnswerDraft { $0.body = Data(text.utf8) }) }
    }

    static let failures: [Row] = [
        [199, 301, 302, 307, 400, 401, 404, 500].map { status in
            Row(.invalidStatusCode, "\(status)", HookAnswerDraft { $0.status = status })
        },
        rows(
            .responseDecodeFailed,
            bodies: ["", "{", "<html>", #"{"status":"block","status":"continue"}"#]),
        rows(.invalidResponse, bodies: ["[]", "null", "\"continue\"", "1", "true"]),
        rows(.invalidStatus, "status", [nil, .null, "", "Continue", "allow", .int(1), .bool(true)]),
        rows(.invalidGrantMode, "grant_mode", [nil, .null, "", "session", "session-start", .int(1)]),
        rows(
            .invalidGrantedFor, "granted_for",
            [nil, .null, "300", .int(0), .int(-1), .int(86_401), .double(1.5), .int(.max)]),
        rows(.missingSteps, "steps", [nil, .null, .array([]), "verify_email", .object([:])]),
        rows(step: "key", [nil, .null, "", "unknown", .int(1), "verify_email"]),
        rows(step: "order", [nil, .null, "2", .int(-1), .int(1001), .int(1), .int(.max)]),
        rows(step: "expiration_duration", [.null, "60", .int(-1), .int(86_401), .int(.min)]),
        [
            Row(.invalidStep, "no object", HookAnswerDraft("steps", .array(["kyc"]))),
            Row(
                .invalidStep, "more than ten",
                HookAnswerDraft("steps", .array((0..<11).map { .object(["order": .int($0), "key": "kyc"]) }))),
        ],
    ].flatMap { $0 }

    @Test("Each invalid answer throws its own failure", arguments: failures)
    func failure(row: Row) {
        #expect(throws: row.failure) { try row.draft.read() }
    }

    @Test("Every failure of an answer has a row in the table")
    func complete() {
        #expect(
            Set(Self.failures.map(\.failure))
                == Set(HookFailure.allCases).subtracting([.requestFailed, .invalidDecision]))
    }
}
