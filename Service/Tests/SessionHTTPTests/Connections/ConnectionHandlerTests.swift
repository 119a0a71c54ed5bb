import Testing

@testable import SessionHTTP

@Suite("Limits of a connection")
struct ConnectionHandlerTests {
    private static let half = "POST /v1 HTTP/1.1\r\nHost: a\r\nX: "
    private static let get = "GET /v1 HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let health = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let body = "POST /v1 HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n"

    private static var limits: ConnectionLimits {
        var limits = ConnectionLimits()
        (limits.connections, limits.healthReserve) = (2, 1)
        (limits.headerTimeout, limits.bodyTimeout) = (10, 20)
        (limits.idleTimeout, limits.responseTimeout) = (75, 120)
        return limits
    }

    @Test("The headers have one deadline from the start of the connection, which no byte extends")
    func header() throws {
        let world = ConnectionWorld(Self.limits)
        let connection = try world.connect()
        try connection.send(Self.half)
        for _ in 1...9 {
            world.advance(1)
            try connection.send("a")
        }
        #expect(connection.isOpen)
        world.advance(1)
        let text = try connection.received()
        #expect(text.hasPrefix("HTTP/1.1 408 ") && text.contains("\"code\":\"bad_request\""))
        #expect(!connection.isOpen)
        #expect(world.lines == ["closed connections: the headers of a request took too long 1"])
    }

    @Test("A connection that sends nothing is closed at the deadline of the headers")
    func silent() throws {
        let world = ConnectionWorld(Self.limits)
        let connection = try world.connect()
        world.advance(9)
        #expect(connection.isOpen)
        world.advance(1)
        #expect(!connection.isOpen)
        #expect(world.lines.isEmpty && world.observedLimits.isEmpty, "a browser may not need it")
    }

    @Test("The body has one deadline from the end of the headers")
    func slowBody() throws {
        let world = ConnectionWorld(Self.limits)
        let connection = try world.connect()
        world.advance(9)
        try connection.send(Self.body)
        for _ in 1...5 {
            world.advance(3)
            try connection.send("a")
        }
        #expect(connection.isOpen)
        world.advance(5)
        #expect(try connection.received().hasPrefix("HTTP/1.1 408 "))
        #expect(!connection.isOpen)
        #expect(world.lines == ["closed connections: the body of a request took too long 1"])
    }

    @Test("Between requests the idle timeout applies, and the first byte of a request starts the next deadline")
    func idle() throws {
        let world = ConnectionWorld(Self.limits)
        let connection = try world.connect()
        try connection.send(Self.get)
        world.advance(100)
        #expect(connection.isOpen, "the service is responding")
        try connection.respond()
        world.advance(74)
        #expect(connection.isOpen)
        try connection.send("G")
        world.advance(9)
        #expect(connection.isOpen)
        try connection.send(String(Self.get.dropFirst()))
        try connection.respond()
        _ = try connection.received()
        world.advance(75)
        #expect(!connection.isOpen)
        #expect(try connection.received().isEmpty, "an idle connection is closed without a response")
        #expect(world.lines.isEmpty, "it is normal, so it is not logged")
    }

    @Test("A client that does not read its response is closed")
    func slowReader() throws {
        let world = ConnectionWorld(Self.limits)
        let connection = try world.connect()
        try connection.send(Self.get)
        world.advance(119)
        #expect(connection.isOpen)
        world.advance(1)
        #expect(!connection.isOpen)
        #expect(world.lines == ["closed connections: a client did not read its response 1"])
    }

    @Test("At the limit, a client that does not read its responses makes room for a new one (X12)")
    func slowReaders() throws {
        let world = ConnectionWorld(Self.limits)
        let (slow, busy) = (try world.connect(), try world.connect())
        for connection in [slow, busy] { try connection.send(Self.get) }
        slow.setReading(false)
        try slow.respond()
        slow.setReading(true)
        try slow.send(Self.get)
        slow.setReading(false)
        let newcomer = try world.connect()
        #expect(!slow.isOpen && busy.isOpen && newcomer.isOpen)
        try newcomer.send(Self.get)
        #expect(newcomer.requests == ["/v1"])
    }

    @Test("A client that reads again keeps its place (X12)")
    func readsAgain() throws {
        let world = ConnectionWorld(Self.limits)
        let busy = [try world.connect(), try world.connect()]
        for connection in busy { try connection.send(Self.get) }
        busy[0].setReading(false)
        busy[0].setReading(true)
        let rejected = try world.connect()
        try rejected.send(Self.get)
        #expect(try rejected.received().hasPrefix("HTTP/1.1 503 "))
        #expect(busy[0].isOpen && busy[1].isOpen)
    }

    // Proves: X12
    @Test("Several responses to a client that does not read have one deadline")
    func unreadResponses() throws {
        let world = ConnectionWorld(Self.limits)
        let (slow, quick) = (try world.connect(), try world.connect())
        for connection in [slow, quick] { try connection.send(String(repeating: Self.get, count: 5)) }
        slow.setReading(false)
        for _ in 1...3 {
            world.advance(39)
            for connection in [slow, quick] { try connection.respond() }
        }
        #expect(slow.isOpen)
        world.advance(3)
        #expect(!slow.isOpen && quick.isOpen)
        #expect(world.lines == ["closed connections: a client did not read its response 1"])
    }

    @Test("At the limit, the connection that waits longest is closed for a new one (X12)")
    func limit() throws {
        let world = ConnectionWorld(Self.limits)
        let (slow, busy) = (try world.connect(), try world.connect())
        try slow.send(Self.half)
        try busy.send(Self.get)
        let newcomer = try world.connect()
        #expect(!slow.isOpen && busy.isOpen && newcomer.isOpen)
        try newcomer.send(Self.get)
        #expect(newcomer.requests == ["/v1"])
        #expect(world.connections.count == 2)
        #expect(world.lines.count == 1)
    }

    @Test("While all connections are busy, only health checks are answered, and other requests get 503 (X12)")
    func reserve() throws {
        let world = ConnectionWorld(Self.limits)
        let busy = [try world.connect(), try world.connect()]
        for connection in busy { try connection.send(Self.get) }

        let rejected = try world.connect()
        try rejected.send(Self.get)
        let text = try rejected.received()
        #expect(text.hasPrefix("HTTP/1.1 503 ") && text.lowercased().contains("retry-after: 5"))
        #expect(rejected.requests.isEmpty && !rejected.isOpen)

        let check = try world.connect()
        try check.send(Self.health)
        #expect(check.requests == ["/health"])
        let another = try world.connect()
        #expect(!another.isOpen, "the reserve is busy")
        try check.respond()
        #expect(!check.isOpen, "the reserve is free for the next check")

        let slow = try world.connect()
        try slow.send("GET ")
        let next = try world.connect()
        #expect(!slow.isOpen && next.isOpen, "a check that is not sent completely keeps no place")
        #expect(busy[0].isOpen && busy[1].isOpen)
    }

    @Test("A closed connection frees its place")
    func closed() throws {
        let world = ConnectionWorld(Self.limits)
        for _ in 1...10 {
            let connection = try world.connect()
            try connection.send(Self.get)
            connection.close()
            #expect(world.connections.count == 0)
        }
    }

    @Test("A request with two hosts gets 400, and its connection is closed (RFC 9112 §3.2)")
    func hosts() throws {
        let world = ConnectionWorld(Self.limits)
        let connection = try world.connect()
        try connection.send("GET /v1 HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
        let text = try connection.received()
        #expect(text.hasPrefix("HTTP/1.1 400 ") && text.contains("Host must not be repeated"))
        #expect(connection.requests.isEmpty && !connection.isOpen)
    }

    // Proves: N8
    @Test(
        "The connection ends with the response, unless the client wants it to stay open (RFC 9112 §9.3)",
        arguments: [
            ("HTTP/1.0\r\n", true), ("HTTP/1.0\r\nConnection: close\r\n", true),
            ("HTTP/1.0\r\nConnection: Keep-Alive\r\n", false), ("HTTP/1.1\r\n", false),
            ("HTTP/1.1\r\nConnection: keep-alive\r\n", false), ("HTTP/1.1\r\nConnection: Close\r\n", true),
        ])
    func lastRequest(line: String, isLast: Bool) throws {
        let world = ConnectionWorld(Self.limits)
        let connection = try world.connect()
        try connection.send("GET /v1 \(line)Host: a\r\n\r\n" + Self.get)
        #expect(connection.requests == ["/v1"])
        try connection.respond()
        let text = try connection.received().lowercased()
        #expect(text.hasPrefix("http/1.1 200 ") && text.contains("connection: close") == isLast)
        // Clients of HTTP/1.0 expect the header that they have sent.
        #expect(text.contains("connection: keep-alive") == (line.hasPrefix("HTTP/1.0") && !isLast))
        #expect(connection.isOpen != isLast)
        #expect(connection.requests == (isLast ? [] : ["/v1"]))
    }

    // Proves: N8
    @Test("A request in HTTP/1.0 with Transfer-Encoding gets 400, and what follows is no request (RFC 9112 §6.1)")
    func framing() throws {
        let world = ConnectionWorld(Self.limits)
        let connection = try world.connect()
        try connection.send(
            "POST /v1 HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
                + Self.get)
        let text = try connection.received()
        #expect(text.hasPrefix("HTTP/1.1 400 ") && text.contains("Transfer-Encoding needs HTTP/1.1"))
        #expect(connection.requests.isEmpty && !connection.isOpen)
    }

    @Test("A rejected HEAD request gets no body (RFC 9110 §9.3.2)")
    func head() throws {
        let world = ConnectionWorld(Self.limits)
        let connection = try world.connect()
        try connection.send("HEAD /v1 HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
        let text = try connection.received()
        #expect(text.hasPrefix("HTTP/1.1 400 ") && text.hasSuffix("\r\n\r\n"))
    }

    @Test("A rejected request behind another one gets the response after it, and what follows is dropped")
    func pipelined() throws {
        let world = ConnectionWorld(Self.limits)
        let connection = try world.connect()
        try connection.send(Self.get + "GET /v1 HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n" + Self.get)
        #expect(connection.requests == ["/v1"])
        try connection.respond()
        let text = try connection.received()
        #expect(text.hasPrefix("HTTP/1.1 200 OK") && text.contains("HTTP/1.1 400 "))
        #expect(connection.requests.isEmpty && !connection.isOpen)
    }

    // Proves: A10
    @Test("A limit is logged at once, then once per interval with a count")
    func log() throws {
        let world = ConnectionWorld(Self.limits)
        for _ in 1...12 { _ = try world.connect() }
        let line = "connection limit reached: closed the connections that waited longest"
        #expect(world.lines == [line + " 1"])
        world.advance(10)
        #expect(world.lines.prefix(2) == [line + " 1", line + " 9"])
        world.advance(30)
        for _ in 1...3 { _ = try world.connect() }
        #expect(world.lines.filter { $0.hasPrefix(line) } == [line + " 1", line + " 9", line + " 1"])
    }
}
