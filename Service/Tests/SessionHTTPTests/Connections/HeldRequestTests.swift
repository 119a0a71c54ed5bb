import NIOCore
import NIOEmbedded
import NIOHTTP1
import SessionDomain
import Testing

@testable import SessionHTTP

@Suite("Requests that a connection holds or answers itself")
struct HeldRequestTests {
    private static let refresh = "POST /v1/session/refresh HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"
    private static let list = "GET /v2/session/apps HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let ready = "GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n"

    private let store = StoreHealth()

    private func monitor() -> HealthMonitor {
        HealthMonitor(store: store, probes: HealthProbes(write: {}), environment: .live)
    }

    // Proves: N1
    @Test("A request reaches the routes when it is complete, so a slow body takes no place in work")
    func completeOnly() throws {
        let world = ConnectionWorld(ConnectionLimits(), requests: 1)
        let (slow, quick) = (try world.connect(), try world.connect())
        try slow.send("POST /v1/session/otp HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab")
        #expect(slow.requests.isEmpty && world.work.count == 0)
        try quick.send(Self.refresh)
        #expect(quick.requests == ["/v1/session/refresh"] && world.work.count == 1)
        try slow.send("cd")
        #expect(try slow.received().hasPrefix("HTTP/1.1 503 "))
        #expect(slow.requests.isEmpty)
    }

    @Test("A body of many chunks is held and passed on as one")
    func chunks() throws {
        let world = ConnectionWorld(ConnectionLimits())
        let connection = try world.connect()
        try connection.send("POST /v1/session/otp HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in 0..<100 { try connection.send("2\r\nab\r\n") }
        try connection.send("0\r\n\r\n")
        var bodies: [ByteBuffer] = []
        while let request = try connection.channel.readInbound(as: AdmittedRequest.self) { bodies.append(request.body) }
        #expect(bodies == [ByteBuffer(string: String(repeating: "ab", count: 100))])
    }

    // Proves: N1
    @Test("A request above the bound gets 503 with Retry-After, and its connection goes on")
    func rejected() throws {
        let world = ConnectionWorld(ConnectionLimits(), requests: 2)
        let (first, second) = (try world.connect(), try world.connect())
        try first.send(Self.list)
        try second.send(Self.list)
        let text = try second.received()
        #expect(text.hasPrefix("HTTP/1.1 503 ") && text.contains("Retry-After: 2\r\n"))
        #expect(text.contains("\"code\":\"internal\"") && !text.lowercased().contains("connection: close"))
        #expect(second.isOpen && second.requests.isEmpty)
        // A refresh is more urgent than a list.
        try second.send(Self.refresh)
        #expect(second.requests == ["/v1/session/refresh"])
        #expect(world.lines == ["limit of requests in work reached: rejected requests, the least urgent first 1"])
        #expect(world.observedLimits == ["shed read"])
    }

    @Test("When the process ends, a request that has begun gets its response, which ends the connection")
    func ending() throws {
        let world = ConnectionWorld(ConnectionLimits())
        let (begun, working) = (try world.connect(), try world.connect())
        try working.send(Self.refresh)
        #expect(working.requests == ["/v1/session/refresh"])
        try begun.send("POST /v1/session/otp HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab")
        for connection in [begun, working] { connection.quiesce() }
        #expect(begun.isOpen && working.isOpen)
        try begun.send("cd")
        #expect(begun.requests == ["/v1/session/otp"])
        for connection in [begun, working] {
            try connection.respond()
            #expect(try connection.received().lowercased().contains("connection: close"))
            connection.closeInput()
            #expect(!connection.isOpen)
        }
    }

    @Test("When the process ends, a client that has stopped in the middle of a request gets 408 after two seconds")
    func endingIncomplete() throws {
        let world = ConnectionWorld(ConnectionLimits())
        let stopped = try world.connect()
        try stopped.send("POST /v1/session/otp HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab")
        world.advance(9)
        stopped.quiesce()
        world.advance(1)
        #expect(try stopped.received().isEmpty)
        world.advance(1)
        #expect(try stopped.received().hasPrefix("HTTP/1.1 408 "))
        try stopped.send("cd")
        #expect(stopped.requests.isEmpty, "it can be sent to another process")
        world.advance(2)
        #expect(!stopped.isOpen)
        #expect(world.lines.isEmpty, "the client has not exceeded a limit")
    }

    @Test(
        "When the process ends, a client that sends its request has until the deadline of the body, or ten seconds",
        arguments: [(0, 10), (15, 5)])
    func endingWhileSending(before: Int, after: Int) throws {
        let world = ConnectionWorld(ConnectionLimits())
        let (quick, slow) = (try world.connect(), try world.connect())
        for connection in [quick, slow] {
            try connection.send("POST /v1/session/otp HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\n")
        }
        world.advance(Int64(before))
        for connection in [quick, slow] { connection.quiesce() }
        for _ in 1..<after {
            world.advance(1)
            for connection in [quick, slow] { try connection.send("a") }
        }
        try quick.send(String(repeating: "a", count: 21 - after))
        world.advance(1)
        #expect(try slow.received().hasPrefix("HTTP/1.1 408 "))
        #expect(quick.requests == ["/v1/session/otp"])
        // A request that is complete has the time of every other one.
        world.advance(60)
        try quick.respond()
        #expect(try quick.received().hasPrefix("HTTP/1.1 200 "))
    }

    @Test("When the process ends, a client has ten seconds to read its response")
    func endingSlowly() throws {
        let world = ConnectionWorld(ConnectionLimits())
        let (before, after) = (try world.connect(), try world.connect())
        for connection in [before, after] { try connection.send(Self.refresh) }
        before.setReading(false)
        for connection in [before, after] { connection.quiesce() }
        world.advance(9)
        after.setReading(false)
        #expect(before.isOpen && after.isOpen)
        world.advance(1)
        #expect(!before.isOpen && after.isOpen)
        world.advance(9)
        #expect(!after.isOpen)
    }

    @Test("When the process ends, a client that reads now and then, or a long response, has ten seconds in all")
    func endingWithPauses() throws {
        let world = ConnectionWorld(ConnectionLimits())
        let (pausing, long) = (try world.connect(), try world.connect())
        for connection in [pausing, long] {
            try connection.send(Self.refresh)
            connection.begin()
            connection.quiesce()
        }
        for _ in 0..<3 {
            pausing.setReading(false)
            long.write("x")
            world.advance(3)
            pausing.setReading(true)
        }
        #expect(pausing.isOpen && long.isOpen)
        pausing.setReading(false)
        world.advance(1)
        #expect(!pausing.isOpen && !long.isOpen)
    }

    @Test("A body above the limit of all bodies is passed on, so that a route rejects it early")
    func longBody() throws {
        let world = ConnectionWorld(ConnectionLimits())
        let connection = try world.connect()
        try connection.send("POST /v1/session/otp HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n")
        try connection.send(String(repeating: "a", count: 65_536))
        #expect(connection.requests.isEmpty)
        try connection.send("a")
        #expect(connection.requests == ["/v1/session/otp"])
    }

    // Proves: N3
    @Test("Health checks are answered without a route, also when no request has a place")
    func health() throws {
        store.committed()
        let world = ConnectionWorld(ConnectionLimits(), requests: 1, monitor: monitor())
        let (busy, connection) = (try world.connect(), try world.connect())
        try busy.send(Self.refresh)
        for path in ["/livez", "/readyz", "/health", "/readyz?verbose=1"] {
            try connection.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try connection.received().hasPrefix("HTTP/1.1 200 "))
        }
        try connection.send("HEAD /readyz HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try connection.received().hasSuffix("\r\n\r\n"))
        #expect(connection.isOpen && connection.requests.isEmpty)
    }

    @Test("Other methods at the paths of health checks reach the routes")
    func otherMethods() throws {
        let world = ConnectionWorld(ConnectionLimits(), monitor: monitor())
        let connection = try world.connect()
        try connection.send("POST /readyz HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
        #expect(connection.requests == ["/readyz"])
    }

    // Proves: N3
    @Test("While writes fail, readiness is 503 and the process is alive; strangers get no reason")
    func failing() throws {
        store.failedTransaction(.unavailable("the disk sda1 is full"))
        for showsReasons in [false, true] {
            let world = ConnectionWorld(ConnectionLimits(), monitor: monitor(), showsReasons: showsReasons)
            let connection = try world.connect()
            try connection.send(Self.ready)
            let text = try connection.received()
            #expect(text.hasPrefix("HTTP/1.1 503 ") && text.contains("Retry-After: 5\r\n"))
            #expect(text.contains("writes fail") == showsReasons && !text.contains("sda1"))
            try connection.send("GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try connection.received().contains("\"code\":\"internal\""))
            try connection.send("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try connection.received().hasPrefix("HTTP/1.1 200 "))
        }
    }

    // Proves: N3
    @Test("A check that waits for the disk is answered after 60 milliseconds with what is known")
    func patience() throws {
        let monitor = HealthMonitor(
            store: store, probes: HealthProbes(write: { try await Task.sleep(for: .seconds(600)) }),
            environment: .live)
        let world = ConnectionWorld(ConnectionLimits(), monitor: monitor)
        let connection = try world.connect()
        try connection.send(Self.ready)
        #expect(try connection.received().isEmpty)
        world.advance(1)
        #expect(try connection.received().hasPrefix("HTTP/1.1 200 "))
        world.advance(1)
        #expect(try connection.received().isEmpty, "one request has one response")
    }
}
