import SessionDomain
import Testing

@Suite("Recent values")
struct RecentValuesTests {
    @Test("A value is found by its key, and the last one counts")
    func found() {
        let values = RecentValues<String, Int>(capacity: 4)
        #expect(values.value(for: "a") == nil)
        values.keep(1, for: "a")
        #expect(values.value(for: "a") == 1)
        values.keep(2, for: "a")
        #expect(values.value(for: "a") == 2)
    }

    @Test("A value that is used stays, whatever comes, and one that is not used is dropped")
    func bounded() {
        let values = RecentValues<Int, Int>(capacity: 4)
        values.keep(-1, for: -1)
        values.keep(-2, for: -2)
        for key in 0..<20 {
            values.keep(key, for: key)
            #expect(values.value(for: -1) == -1)
        }
        #expect(values.value(for: -2) == nil)
        #expect((0..<20).filter { values.value(for: $0) != nil }.count < 4)
    }

    @Test("A known key takes no further place")
    func repeated() {
        let values = RecentValues<Int, Int>(capacity: 4)
        values.keep(1, for: 1)
        for value in 0..<10 { values.keep(value, for: 2) }
        #expect(values.value(for: 1) == 1)
    }
}
