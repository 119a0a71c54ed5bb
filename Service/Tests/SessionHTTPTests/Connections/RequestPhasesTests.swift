import Testing

@testable import SessionHTTP

@Suite("Phases of a request")
struct RequestPhasesTests {
    @Test("A connection begins with the headers, and is idle only after a response")
    func order() {
        var phases = RequestPhases()
        #expect(phases.phase == .header)
        phases.receivedBytes()
        #expect(phases.phase == .header && phases.serial == 0)
        phases.receivedHead()
        #expect(phases.phase == .body)
        phases.receivedBytes()
        #expect(phases.phase == .body && phases.serial == 1)
        phases.receivedEnd()
        #expect(phases.phase == .responding)
        phases.wroteResponse()
        #expect(phases.phase == .idle)
        phases.receivedBytes()
        #expect(phases.phase == .header && phases.serial == 4)
    }

    @Test("A response before the end of the body does not end the phase of the body")
    func earlyResponse() {
        var phases = RequestPhases()
        phases.receivedHead()
        phases.wroteResponse()
        #expect(phases.phase == .body && phases.serial == 1)
        #expect(!phases.canAnswer, "its response is written")
        phases.receivedEnd()
        #expect(phases.phase == .idle)
    }

    @Test("Part of the next request has its deadline after the response of the one before")
    func pipelined() {
        var phases = RequestPhases()
        phases.receivedHead()
        phases.receivedEnd()
        phases.receivedBytes()
        #expect(phases.phase == .responding)
        #expect(!phases.canAnswer, "another response comes first")
        phases.wroteResponse()
        #expect(phases.phase == .header)
        #expect(phases.canAnswer)
    }

    @Test("Each response of several requests begins a new phase")
    func several() {
        var phases = RequestPhases()
        for _ in 1...3 {
            phases.receivedHead()
            phases.receivedEnd()
        }
        let serial = phases.serial
        phases.wroteResponse()
        #expect(phases.phase == .responding && phases.serial == serial + 1)
        for _ in 1...5 { phases.wroteResponse() }
        #expect(phases.phase == .idle)
    }
}
