import SessionDomain
import Testing
import Tracing

@testable import SessionTelemetry

@Suite("The body of an export (OTLP, JSON encoding of protobuf)")
struct OTLPBodyTests {
    @Test("Ids are hexadecimal, 64-bit numbers are strings, enums are numbers, and texts are escaped")
    func body() {
        let parent = TraceParent(
            traceID: TraceID(high: 0x4bf9_2f35_77b3_4da6, low: 0xa3ce_929d_0e0e_4736), spanID: SpanID(value: 0xb7),
            isSampled: true)
        let span = FinishedSpan(
            identity: parent, parentID: SpanID(value: 0xa1), hasRemoteParent: true, name: "a \"b\"\n", kind: .client,
            startedAt: 1_700_000_000_000_000_001, endedAt: 1_700_000_000_000_000_002,
            attributes: ["z": 7, "b": true, "a": "x\\", "d": 0.5], hasFailed: true)
        #expect(
            OTLPBody(version: "1.2.3", instance: "node_1").text(of: [span])
                == #"{"resourceSpans":[{"resource":{"attributes":["#
                + #"{"key":"service.name","value":{"stringValue":"prelude-session"}},"#
                + #"{"key":"service.version","value":{"stringValue":"1.2.3"}},"#
                + #"{"key":"service.instance.id","value":{"stringValue":"node_1"}}]},"#
                + #""scopeSpans":[{"scope":{"name":"prelude-session","version":"1.2.3"},"spans":["#
                + #"{"traceId":"4bf92f3577b34da6a3ce929d0e0e4736","spanId":"00000000000000b7","#
                + #""parentSpanId":"00000000000000a1","flags":769,"name":"a \"b\"\n","kind":3,"#
                + #""startTimeUnixNano":"1700000000000000001","endTimeUnixNano":"1700000000000000002","#
                + #""attributes":[{"key":"a","value":{"stringValue":"x\\"}},{"key":"b","value":{"boolValue":true}},"#
                + #"{"key":"d","value":{"doubleValue":0.5}},{"key":"z","value":{"intValue":"7"}}],"#
                + #""status":{"code":2}}]}]}]}"#)
    }

    @Test("A root span has no parent, and work without an error has no status")
    func root() async {
        let world = TraceWorld()
        await world.trace(.delivery(.webhooks))
        let text = OTLPBody(version: "1", instance: "n").text(of: world.queue.take(.max))
        #expect(!text.contains("parentSpanId") && text.contains(#""flags":257,"#))
        #expect(text.contains(#""kind":5,"#) && text.hasSuffix(#""status":{}}]}]}]}"#))
    }
}
