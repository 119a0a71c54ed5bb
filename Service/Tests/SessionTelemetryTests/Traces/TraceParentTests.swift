import Testing

@testable import SessionTelemetry

@Suite("The header traceparent")
struct TraceParentTests {
    private static let trace: String = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let span: String = "00f067aa0ba902b7"
    private static let valid: String = "00-\(trace)-\(span)-01"
    private static let invalidHeaders: [[String]] = [
        [], [""], [valid, valid], ["\(valid)-"], ["\(valid)0"], [String(valid.dropLast())],
        ["ff-\(trace)-\(span)-01"], ["0-\(trace)-\(span)-01"], ["0g-\(trace)-\(span)-01"],
        ["00-\(trace.uppercased())-\(span)-01"], ["00-\(String(repeating: "0", count: 32))-\(span)-01"],
        ["00-\(trace)-0000000000000000-01"], ["00-\(trace)-\(span)-0x"], ["00-\(trace)-\(span)-+1"],
        ["00_\(trace)-\(span)-01"], ["00-\(trace)_\(span)-01"], ["00-\(trace)-\(span)_01"], [" \(valid)"],
        ["01-\(trace)-\(span)-01more"], ["01-\(trace)-\(span)-01-" + String(repeating: "x", count: 500)],
        ["00-\(trace)-00f067aa0ba902b\u{E9}-1"],
    ]

    @Test("A valid header is read, and written again (W3C Trace Context §3.2)")
    func valid() throws {
        let parent = try #require(TraceParent([Self.valid]))
        #expect(parent.traceID.description == Self.trace && parent.spanID.description == Self.span && parent.isSampled)
        #expect(parent.text == Self.valid)
    }

    @Test("Only the lowest bit of the flags is the sampled flag (§3.2.2.5)", arguments: ["00", "02", "fe"])
    func flags(_ flags: String) throws {
        #expect(try #require(TraceParent(["00-\(Self.trace)-\(Self.span)-\(flags)"])).isSampled == false)
        #expect(try #require(TraceParent(["00-\(Self.trace)-\(Self.span)-ff"])).isSampled)
    }

    @Test("A later version may have more after the flags (§3.2.4)", arguments: ["", "-", "-more"])
    func later(_ end: String) throws {
        let parent = try #require(TraceParent(["01-\(Self.trace)-\(Self.span)-01\(end)"]))
        #expect(parent.text == Self.valid)
    }

    @Test(
        "An invalid header is ignored (§3.2.2)",
        arguments: invalidHeaders)
    func invalid(_ values: [String]) {
        #expect(TraceParent(values) == nil)
    }

    @Test("Ids of random zeros are not zero")
    func zeros() {
        #expect(TraceID(random: Array(repeating: 0, count: 16)).description == String(repeating: "0", count: 31) + "1")
        #expect(SpanID(random: Array(repeating: 0, count: 8)).description == "0000000000000001")
    }
}
