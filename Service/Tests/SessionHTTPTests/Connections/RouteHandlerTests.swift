import Hummingbird
import NIOCore
import Synchronization
import Testing

@testable import SessionHTTP

@Suite("From a connection to the routes and back", .timeLimit(.minutes(2)))
struct RouteHandlerTests {
    private struct Failure: Error {}

    @Test("A route gets the request, and the client its response; then the next one")
    func requests() async throws {
        let connection = try await RoutedPair { request, context in
            #expect(context.peerAddress == "127.0.0.1")
            let body = try await request.body.collect(upTo: 100)
            let names = request.headers.map { "\($0.name.rawName)=\($0.value)" }.joined(separator: ",")
            let line =
                "\(request.method) \(request.head.authority ?? "-") \(request.uri.string) \(names) \(String(buffer: body))"
            return Response(
                status: .ok, headers: [.contentType: "text/plain"], body: .init(byteBuffer: .init(string: line)))
        }
        try await connection.send(
            "POST /a?b=c HTTP/1.1\r\nhost: x.test\r\nDPoP: p\r\nX-Own: ä\r\ncontent-length: 2\r\n\r\nhi")
        let first = try await connection.receive(until: "hi")
        #expect(first.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: "))
        #expect(first.hasSuffix("\r\n\r\nPOST x.test /a?b=c DPoP=p,X-Own=ä,content-length=2 hi"))
        try await connection.send("PURGE /second HTTP/1.1\r\nHost: x.test\r\nHost2: y\r\n\r\n")
        #expect(try await connection.receive(until: "Host2=y ").hasSuffix("PURGE x.test /second Host2=y "))
        try await connection.close()
    }

    @Test("A client that reads no response takes no place")
    func unreadResponse() async throws {
        let work = RequestsInWork(limit: 1)
        let part = ByteBuffer(repeating: 0x61, count: 1 << 20)
        let connection = try await RoutedPair(work: work, reads: false) { [work] _, _ in
            #expect(work.count == 1, "while the response is computed")
            return Response(
                status: .ok,
                body: ResponseBody { writer in
                    #expect(work.count == 0, "while the response is written")
                    for _ in 0..<64 { try await writer.write(part) }
                    try await writer.finish(nil)
                })
        }
        try await connection.send("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        while !connection.hasBegun || connection.server.channel.isWritable { await Task.yield() }
        #expect(work.count == 0)
        try await connection.close()
    }

    @Test("A client that does not read gets no further request computed, and whole responses when the process ends")
    func slowReader() async throws {
        let part = ByteBuffer(repeating: 0x61, count: 32 << 20)
        let calls = Mutex(0)
        let connection = try await RoutedPair(reads: false) { _, _ in
            calls.withLock { $0 += 1 }
            return Response(status: .ok, body: ResponseBody(byteBuffer: part))
        }
        try await connection.send(String(repeating: "GET / HTTP/1.1\r\nhost: x\r\n\r\n", count: 20))
        while !connection.hasBegun || connection.server.channel.isWritable { await Task.yield() }
        // The first response is written, as far as the route is concerned. Another request would be read in one of these turns.
        for _ in 0..<200 { try await connection.server.channel.eventLoop.submit {}.get() }
        #expect(calls.withLock { $0 } == 1)
        try await connection.quiesce()
        try await connection.startReading()
        let response = try await connection.receiveAll()
        #expect(response.utf8.count - (32 << 20) < 1000, "one response")
        #expect(response.utf8.suffix(32 << 20).allSatisfy { $0 == 0x61 })
    }

    @Test("A request that fails takes no place, and has a response")
    func failure() async throws {
        let work = RequestsInWork(limit: 1)
        let connection = try await RoutedPair(work: work) { _, _ in throw Failure() }
        try await connection.send("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        #expect(try await connection.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 500 "))
        #expect(work.count == 0)
        try await connection.close()
    }

    @Test("A body of unknown length arrives in order, in chunks")
    func stream() async throws {
        let connection = try await RoutedPair { _, _ in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    for text in ["one", "two", "three"] { try await writer.write(ByteBuffer(string: text)) }
                    try await writer.finish(nil)
                })
        }
        try await connection.send("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        let response = try await connection.receive(until: "0\r\n\r\n")
        #expect(response.hasSuffix("\r\n\r\n3\r\none\r\n3\r\ntwo\r\n5\r\nthree\r\n0\r\n\r\n"))
        try await connection.close()
    }

    @Test("A body that fails in the middle ends the connection, so that the client does not take it for complete")
    func brokenStream() async throws {
        let connection = try await RoutedPair { _, _ in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    try await writer.write(ByteBuffer(string: "part"))
                    throw Failure()
                })
        }
        try await connection.send("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        #expect(try await connection.receiveAll().hasSuffix("4\r\npart\r\n"))
    }

    @Test("A client that closes its side gets its response, and then the connection ends")
    func halfClosed() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let connection = try await RoutedPair { _, _ in
            for await _ in ends { break }
            return Response(status: .noContent)
        }
        try await connection.send("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        while !connection.hasBegun { await Task.yield() }
        try await connection.closeOutput()
        while !connection.inputIsClosed { await Task.yield() }
        end.yield()
        #expect(try await connection.receiveAll().hasPrefix("HTTP/1.1 204 "))
    }

    @Test("A connection has ended only when the work for its last request has")
    func abandoned() async throws {
        let work = RequestsInWork(limit: 1)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let connection = try await RoutedPair(work: work) { _, _ in
            // Work that does not react to cancellation, such as a commit.
            await Task { for await _ in ends { break } }.value
            return Response(status: .ok)
        }
        try await connection.send("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        while !connection.hasBegun { await Task.yield() }
        let ended = Task { await connection.server.end() }
        // As a deadline does, or a reset by the client.
        try await connection.server.channel.close()
        #expect(work.count == 1)
        end.yield()
        await ended.value
        #expect(work.count == 0)
        try await connection.close()
    }

    @Test("Without a request, the end of the process closes the connection; with one, its response comes first")
    func quiesce() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let idle = try await RoutedPair { _, _ in Response(status: .ok) }
        try await idle.quiesce()
        #expect(try await idle.receiveAll().isEmpty)
        let busy = try await RoutedPair { _, _ in
            for await _ in ends { break }
            return Response(status: .noContent)
        }
        try await busy.send("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        while !busy.hasBegun { await Task.yield() }
        try await busy.quiesce()
        end.yield()
        let response = try await busy.receiveAll()
        #expect(response.hasPrefix("HTTP/1.1 204 "))
        #expect(response.contains("Connection: close"))
    }

    @Test("A route rejects a body that is too long before the rest has arrived")
    func longBody() async throws {
        let connection = try await RoutedPair { request, _ in
            guard request.method == .post else { return Response(status: .noContent) }
            let error = await #expect(throws: (any Error).self) { try await request.bodyData() }
            #expect((error as? HTTPError)?.status == .contentTooLarge)
            return Response(status: .contentTooLarge)
        }
        try await connection.send(
            "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 200000\r\n\r\n" + String(repeating: "a", count: 70_000))
        #expect(try await connection.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 413 "))
        try await connection.send(String(repeating: "a", count: 130_000) + "GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        #expect(try await connection.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 204 "))
        try await connection.close()
    }
}
