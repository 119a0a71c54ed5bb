import NIOCore
import NIOEmbedded
import Testing

@testable import SessionHTTP

@Suite("Requests that are sent together")
struct RequestGateTests {
    private static func get(_ number: Int) -> String { "GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n" }

    private static func targets(_ numbers: ClosedRange<Int>) -> [String] { numbers.map { "/\($0)" } }

    private func connection(_ limits: ConnectionLimits = ConnectionLimits()) throws -> TestConnection {
        try ConnectionWorld(limits).connect()
    }

    @Test("One request is decoded before its response, and all are served in order (X12)")
    func bounded() throws {
        let connection = try connection()
        try connection.send((1000...1999).map(Self.get).joined())
        var served = connection.requests
        #expect(served.count == 1)
        var unanswered = served.count
        while unanswered > 0 {
            try connection.respond()
            let next = connection.requests
            if unanswered > 1 { #expect(next.isEmpty, "another request waits for its response") }
            served += next
            unanswered += next.count - 1
        }
        #expect(served == Self.targets(1000...1999))
    }

    // Proves: X12
    @Test("The socket is not read while bytes of later requests are kept")
    func backpressure() throws {
        let connection = try connection()
        #expect(connection.read())
        try connection.send((1000...1099).map(Self.get).joined())
        let before = connection.readCount
        #expect(!connection.read())
        var unanswered = connection.requests.count
        while unanswered > 0 {
            try connection.respond()
            unanswered += connection.requests.count - 1
        }
        #expect(connection.readCount == before + 1, "the read that was asked for happens when no bytes are kept")
        #expect(connection.read())
    }

    @Test("A body reaches the request however large it is")
    func body() throws {
        let connection = try connection()
        try connection.send("POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\n")
        for _ in 1...5 { try connection.send(String(repeating: "x", count: 1000)) }
        try connection.send(Self.get(2))
        #expect(connection.requests == ["/1"])
        try connection.respond()
        #expect(connection.requests == ["/2"])
    }

    @Test("A body behind a request that waits for its response arrives after it")
    func bodyBehind() throws {
        let connection = try connection()
        try connection.send(
            Self.get(1) + "POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\n"
                + String(repeating: "x", count: 5000) + Self.get(3))
        #expect(connection.requests == ["/1"])
        try connection.respond()
        #expect(connection.requests == ["/2"])
        try connection.respond()
        #expect(connection.requests == ["/3"])
    }

    @Test(
        "A request with a body hides no further requests, and its body may have blank lines (X12)",
        arguments: [
            "Content-Length: 2\r\n\r\nxx", "Content-Length: 8\r\n\r\n\r\n\r\n\n\n\n\n", "Content-Length: 0\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\n2\r\nxx\r\n0\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\n6\r\n\r\n\r\n\n\n\r\n0\r\nX: y\r\n\r\n",
        ])
    func bodyBefore(rest: String) throws {
        let connection = try connection()
        try connection.send("POST /1 HTTP/1.1\r\nHost: a\r\n" + rest + (1000...1099).map(Self.get).joined())
        #expect(connection.requests == ["/1"])
        for number in 1000...1099 {
            try connection.respond()
            #expect(connection.requests == ["/\(number)"])
        }
    }

    @Test("A blank line that arrives in two parts ends a request, too", arguments: 1...3)
    func dividedLine(count: Int) throws {
        let connection = try connection()
        let bytes = Array((Self.get(1) + Self.get(2) + Self.get(3)).utf8)
        let first = Self.get(1).utf8.count - count
        for part in [bytes[..<first], bytes[first...]] { try connection.send(String(decoding: part, as: UTF8.self)) }
        for number in 1...3 {
            #expect(connection.requests == ["/\(number)"])
            try connection.respond()
        }
    }

    @Test(
        "Bytes that make very many pieces let other connections go on first (X12)",
        arguments: [
            String(repeating: "\r\n", count: 1000) + Self.get(1),
            "POST /1 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n"
                + String(repeating: "\n", count: 1000) + "\r\n0\r\n\r\n",
        ])
    func manyPieces(request: String) throws {
        let world = ConnectionWorld(ConnectionLimits())
        let (connection, other) = (try world.connect(), try world.connect())
        _ = try connection.channel.writeInbound(ByteBuffer(string: request))
        #expect(!connection.read(), "the socket is not read while bytes are kept")
        _ = try other.channel.writeInbound(ByteBuffer(string: Self.get(3)))
        #expect(other.requests == ["/3"])
        world.advance(milliseconds: 0)
        #expect(connection.requests == ["/1"])
        #expect(connection.read())
        try connection.respond()
        try connection.send(Self.get(2))
        #expect(connection.requests == ["/2"])
    }

    @Test("A client that closes its connection while many pieces wait is gone")
    func manyPiecesOfClosed() throws {
        let connection = try connection()
        _ = try connection.channel.writeInbound(ByteBuffer(string: String(repeating: "\n", count: 1000) + Self.get(1)))
        connection.close()
        #expect(connection.requests.isEmpty)
    }

    @Test("A request that arrives in single bytes is complete with its last one")
    func singleBytes() throws {
        let connection = try connection()
        for byte in Self.get(1) + Self.get(2) { try connection.send(String(byte)) }
        #expect(connection.requests == ["/1"])
        try connection.respond()
        #expect(connection.requests == ["/2"])
    }

    @Test("Requests of a client that then sends no more are served first")
    func halfClosed() throws {
        let connection = try connection()
        try connection.send((1000...1099).map(Self.get).joined())
        connection.closeInput()
        var served = connection.requests
        for _ in 1...100 {
            try connection.respond()
            served += connection.requests
        }
        #expect(served == Self.targets(1000...1099))
    }

    @Test("An invalid request between others ends the connection, and what follows is dropped")
    func invalid() throws {
        let connection = try connection()
        try connection.send("GET /1 HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n" + (1000...1999).map(Self.get).joined())
        #expect(connection.requests.isEmpty)
        #expect(try connection.received().hasPrefix("HTTP/1.1 400 "))
        #expect(!connection.isOpen)
    }

    // Proves: X12
    @Test("The first bytes of the next request start its deadline, also if they arrive with the one before")
    func deadline() throws {
        var limits = ConnectionLimits()
        (limits.headerTimeout, limits.idleTimeout) = (10, 75)
        let world = ConnectionWorld(limits)
        let (partial, idle) = (try world.connect(), try world.connect())
        try partial.send(Self.get(1) + "G")
        try idle.send(Self.get(1))
        for connection in [partial, idle] {
            world.advance(20)
            try connection.respond()
        }
        world.advance(10)
        #expect(!partial.isOpen && idle.isOpen)
        #expect(try partial.received().contains("HTTP/1.1 408 "))
    }
}
