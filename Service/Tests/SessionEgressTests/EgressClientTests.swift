import Foundation
import NIOHTTP1
import SessionDomain
import SessionEgress
import Testing

/// Tests calls to real servers on the loopback.
@Suite("Egress client", .timeLimit(.minutes(5)))
struct EgressClientTests {
    @Test("A request arrives unchanged, and its answer is returned")
    func roundTrip() async throws {
        try await withServer(.answer(.accepted, body: "thanks")) { server in
            let answer = try await withEgress { egress in
                try await egress.send(
                    EgressRequest(
                        .post, "http://127.0.0.1:\(server.port)/a%2Fb/%C3%A4?x=1&y=%20",
                        headers: [("Content-Type", "application/json"), ("X-Signature", "s")],
                        body: Data(#"{"a":1}"#.utf8), timeout: 60))
            }
            #expect(answer == EgressAnswer(status: 202, body: Data("thanks".utf8)))
            let request = try #require(server.requests.first)
            #expect(request.head.method == .POST)
            #expect(request.head.uri == "/a%2Fb/%C3%A4?x=1&y=%20")
            #expect(request.head.headers["content-type"] == ["application/json"])
            #expect(request.head.headers["x-signature"] == ["s"])
            #expect(request.head.headers["host"] == ["127.0.0.1:\(server.port)"])
            #expect(request.body == #"{"a":1}"#)
        }
    }

    @Test("A GET has no body and no headers that the caller did not set")
    func get() async throws {
        try await withServer(.answer(.ok)) { server in
            let answer = try await withEgress {
                try await $0.send(EgressRequest(.get, "http://127.0.0.1:\(server.port)", timeout: 60))
            }
            #expect(answer == EgressAnswer(status: 200, body: Data()))
            let request = try #require(server.requests.first)
            #expect(request.head.uri == "/")
            #expect(request.head.headers.map(\.name) == ["host"])
        }
    }

    @Test("A redirect is returned and not followed", arguments: [301, 302, 303, 307, 308])
    func redirect(_ status: Int) async throws {
        try await withServer(.answer(.ok)) { other in
            let location = ("location", "http://127.0.0.1:\(other.port)/")
            try await withServer(.answer(HTTPResponseStatus(statusCode: status), headers: [location])) { server in
                let answer = try await withEgress { try await $0.send(EgressRequest(.get, server.url, timeout: 60)) }
                #expect(answer.status == status)
                #expect(server.requests.count == 1)
                #expect(other.connections == 0)
            }
        }
    }

    @Test("An error status of the server is returned", arguments: [400, 404, 500, 503])
    func errorStatus(_ status: Int) async throws {
        try await withServer(.answer(HTTPResponseStatus(statusCode: status), body: "no")) { server in
            let answer = try await withEgress { try await $0.send(EgressRequest(.get, server.url, timeout: 60)) }
            #expect(answer == EgressAnswer(status: status, body: Data("no".utf8)))
        }
    }

    @Test("A compressed body is returned unchanged, and cookies are not stored")
    func noBrowser() async throws {
        let headers = [("content-encoding", "gzip"), ("set-cookie", "a=1; Path=/")]
        try await withServer(.answer(.ok, headers: headers, body: "not gzip")) { server in
            try await withEgress { egress in
                for _ in 0..<2 {
                    let answer = try await egress.send(EgressRequest(.get, server.url, timeout: 60))
                    #expect(answer.body == Data("not gzip".utf8))
                }
            }
            #expect(server.requests.map { $0.head.headers["cookie"] } == [[], []])
        }
    }

    @Test("Calls to the same target share a connection")
    func keepAlive() async throws {
        try await withServer(.answer(.ok, body: "1")) { server in
            try await withEgress { egress in
                for _ in 0..<3 { _ = try await egress.send(EgressRequest(.get, server.url, timeout: 60)) }
            }
            #expect(server.requests.count == 3)
            #expect(server.connections == 1)
        }
    }

    @Test("A call that needs a new connection shares none, and leaves the shared one as it is")
    func newConnection() async throws {
        try await withServer(.answer(.ok, body: "1")) { server in
            var alone = EgressRequest(.get, server.url, timeout: 60)
            alone.needsNewConnection = true
            try await withEgress { egress in
                for request in [EgressRequest(.get, server.url, timeout: 60), alone, alone] {
                    _ = try await egress.send(request)
                }
                #expect(server.connections == 3)
                _ = try await egress.send(EgressRequest(.get, server.url, timeout: 60))
                #expect(server.connections == 3)
            }
            #expect(server.requests.map { $0.head.headers["connection"] } == [[], ["close"], ["close"], []])
        }
    }

    @Test("A body of the maximum size is returned", arguments: [true, false])
    func largestBody(_ announces: Bool) async throws {
        let body = String(repeating: "x", count: 100)
        try await withServer(announces ? .answer(.ok, body: body) : .chunks([body])) { server in
            let answer = try await withEgress {
                try await $0.send(EgressRequest(.get, server.url, timeout: 60, maximumAnswer: 100))
            }
            #expect(answer.body.count == 100)
        }
    }

    @Test("A body above the maximum is rejected, with and without a Content-Length", arguments: [true, false])
    func tooLarge(_ announces: Bool) async throws {
        let body = String(repeating: "x", count: 101)
        let reply = announces ? TestServer.Reply.answer(.ok, body: body) : .chunks(body.map(String.init))
        try await withServer(reply) { server in
            try await withEgress { egress in
                await #expect(throws: EgressError.answerTooLarge) {
                    try await egress.send(EgressRequest(.get, server.url, timeout: 60, maximumAnswer: 100))
                }
            }
        }
    }

    @Test("A Content-Length above the maximum is rejected before the body arrives")
    func announcedLength() async throws {
        try await withServer(.stuck) { server in
            try await withEgress { egress in
                await #expect(throws: EgressError.answerTooLarge) {
                    try await egress.send(EgressRequest(.get, server.url, timeout: 60, maximumAnswer: 9))
                }
            }
        }
    }

    @Test("A call without a listening server fails, and the error names only the host of the URL")
    func noServer() async throws {
        let port = try await withServer(.silence) { $0.port }
        try await withEgress { egress in
            let error = await #expect(throws: EgressError.self) {
                try await egress.send(EgressRequest(.get, "http://127.0.0.1:\(port)/hidden?token=hidden", timeout: 30))
            }
            guard case .connectionFailed(let text) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(text.contains("127.0.0.1"))
            #expect(!text.contains("hidden"))
        }
    }

    @Test("An invalid header field is rejected before the request is sent")
    func headerInjection() async throws {
        try await withServer(.answer(.ok)) { server in
            try await withEgress { egress in
                let error = await #expect(throws: EgressError.self) {
                    try await egress.send(
                        EgressRequest(.get, server.url, headers: [("X-A", "hidden\r\nX-B: 2")], timeout: 60))
                }
                #expect(!String(describing: error).contains("hidden"))
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test("No request is sent after the shutdown")
    func shutdown() async throws {
        try await withServer(.answer(.ok)) { server in
            try await withEgress { egress in
                _ = try await egress.send(EgressRequest(.get, server.url, timeout: 60))
                await egress.shutdown()
                await #expect(throws: EgressError.connectionFailed("The service is shutting down.")) {
                    try await egress.send(EgressRequest(.get, server.url, timeout: 60))
                }
            }
            #expect(server.requests.count == 1)
        }
    }
}

extension TestServer {
    var url: String { "http://127.0.0.1:\(port)/" }
}
