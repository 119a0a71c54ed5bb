import Testing

@testable import SessionDomain

@Suite("Coverage of a grant, as a table")
struct GrantTableTests {
    /// The session is at generation 5.
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var mode = GrantMode.singleUse
        var session = "ses_1"
        var user = "usr_1"
        var app = "domain1"
        var generation: Int64 = 5
        var ends = 1
        var covers: Bool
        var isSpent = false

        init(_ name: String, covers: Bool, _ change: (inout Row) -> Void = { _ in }) {
            self.name = name
            self.covers = covers
            change(&self)
        }

        var testDescription: String { name }

        func grant() throws -> Grant {
            Grant(
                id: "grt_1", appID: try appID(app), userID: user, sessionID: session, scope: "pay", mode: mode,
                generation: generation, expiresAt: now + ends)
        }
    }

    static let rows: [Row] = [
        Row("single use, of this generation", covers: true),
        Row("single use, of the generation before", covers: false) {
            $0.generation = 4
            $0.isSpent = true
        },
        Row("single use, of a generation to come", covers: false) { $0.generation = 6 },
        Row("single use, of another session", covers: false) { $0.session = "ses_2" },
        Row("single use, of another session's past", covers: false) {
            $0.session = "ses_2"
            $0.generation = 1
        },
        Row("session-bound, of any generation", covers: true) {
            $0.mode = .sessionBound
            $0.generation = 1
        },
        Row("session-bound, of another session", covers: false) {
            $0.mode = .sessionBound
            $0.session = "ses_2"
        },
        Row("profile-bound, of another session", covers: true) {
            $0.mode = .profileBound
            $0.session = "ses_2"
            $0.generation = 1
        },
    ]

    /// Grants that cover nothing in any mode.
    static let foreign: [Row] = GrantMode.allCases.flatMap { mode in
        [
            Row("\(mode.rawValue), over", covers: false) {
                $0.ends = 0
                $0.isSpent = true
            },
            Row("\(mode.rawValue), of another user", covers: false) { $0.user = "usr_2" },
            Row("\(mode.rawValue), of another app", covers: false) { $0.app = "domain2" },
        ].map { row in
            var row = row
            row.mode = mode
            return row
        }
    }

    @Test("A grant covers a session, or is spent for it, as its row says", arguments: rows + foreign)
    func cover(row: Row) throws {
        #expect(try row.grant().covers(try TestApp.session(), at: now) == row.covers)
        #expect(try row.grant().isSpent(for: try TestApp.session(), at: now) == row.isSpent)
    }

    @Test("A grant that covers a session is not spent for it")
    func coversOrSpent() throws {
        for row in Self.rows + Self.foreign where row.covers { #expect(!row.isSpent, "\(row.name)") }
    }
}
