import SessionDomain
import Testing

@Suite("What a redemption stands for")
struct RedemptionKindTests {
    // Proves: R29
    @Test("The kind follows from the key, and what is no token may be forgotten")
    func kinds() {
        let rows: [(key: String, kind: RedemptionKind, outlivesItsRow: Bool)] = [
            ("chl_01h", .loginChallenge, true), ("", .loginChallenge, true),
            ("step/jti", .customStep, true), ("step/login.failed/1", .customStep, true), ("step/", .customStep, true),
            ("login.failed/token/1", .report, false), ("login.limited/otp-failed/a@example.com/1", .report, false),
            ("user.logins.voided/usr_1/1", .report, false), ("steps/jti", .report, false),
        ]
        for row in rows {
            let kind = RedemptionKind(key: row.key)
            #expect(kind == row.kind && kind.outlivesItsRow == row.outlivesItsRow, "\(row.key)")
        }
    }
}
