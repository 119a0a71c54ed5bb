import Testing

@testable import SessionHTTP

@Suite("New connections whose place is taken before they are read")
struct DisplacementTests {
    private static let get = "GET /v1 HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let health = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n"

    private static var limits: ConnectionLimits {
        var limits = ConnectionLimits()
        (limits.connections, limits.healthReserve) = (2, 2)
        return limits
    }

    @Test("A health check that a busy event loop has not read yet is answered, not reset (X12)")
    func health() throws {
        let world = ConnectionWorld(Self.limits)
        let check = try world.connect()
        let others = [try world.connect(), try world.connect()]
        try check.send(Self.health)
        #expect(check.requests == ["/health"])
        try check.respond()
        #expect(try check.received().hasPrefix("HTTP/1.1 200 "))
        #expect(!check.isOpen && others[0].isOpen && others[1].isOpen)
    }

    @Test("Another request gets 503, so that its client knows that it can try again (X12)")
    func request() throws {
        let world = ConnectionWorld(Self.limits)
        let unread = try world.connect()
        for _ in 1...2 { _ = try world.connect() }
        try unread.send(Self.get)
        #expect(try unread.received().hasPrefix("HTTP/1.1 503 "))
        #expect(unread.requests.isEmpty && !unread.isOpen)
        #expect(world.connections.count == 2)
    }

    @Test("One that sends nothing is closed after 100 ms, and a slow one too")
    func silent() throws {
        let world = ConnectionWorld(Self.limits)
        let unread = [try world.connect(), try world.connect()]
        for _ in 1...2 { _ = try world.connect() }
        try unread[1].send("GET /health HTTP/1.1\r\n")
        world.advance(milliseconds: 99)
        #expect(unread[0].isOpen && unread[1].isOpen)
        world.advance(milliseconds: 1)
        #expect(!unread[0].isOpen && !unread[1].isOpen)
    }

    @Test("At most as many as the reserve stay for an answer, because each has a descriptor (X12)")
    func bound() throws {
        let world = ConnectionWorld(Self.limits)
        var all = try (1...7).map { _ in try world.connect() }
        var open = all.map(\.isOpen)
        #expect(open == [true, true, false, false, false, true, true])
        world.advance(milliseconds: 100)
        all.append(try world.connect())
        open = all.map(\.isOpen)
        #expect(open == [false, false, false, false, false, true, true, true])
    }
}
