import Testing

@testable import SessionDomain

@Suite("Random bytes of the system")
struct SystemRandomBytesTests {
    @Test("Random bytes have the requested number, and differ")
    func randomBytes() {
        for count in [0, 1, 7, 8, 9, 10, 16, 32] { #expect(ServiceEnvironment.live.randomBytes(count).count == count) }
        #expect(ServiceEnvironment.live.randomBytes(16) != ServiceEnvironment.live.randomBytes(16))
        // Each position takes many values: no byte of the last word is constant.
        let rows = (0..<64).map { _ in ServiceEnvironment.live.randomBytes(10) }
        for position in 0..<10 { #expect(Set(rows.map { $0[position] }).count > 20) }
    }
}
