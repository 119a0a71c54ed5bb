import AsyncHTTPClient
import Foundation
import HTTPTypes
import NIOPosix
@_spi(Service) import PreludeSession
import PreludeSessionAsyncHTTPClient
import Testing

@Suite("The transport on AsyncHTTPClient", .timeLimit(.minutes(5)))
struct AsyncHTTPClientTransportTests {
    private func request(
        _ server: PlayedServer, _ method: HTTPRequest.Method = .post, _ fields: HTTPFields = [:]
    ) -> HTTPRequest {
        HTTPRequest(
            method: method, scheme: "http", authority: "127.0.0.1:\(server.port)", path: "/v1?a=b", headerFields: fields
        )
    }

    /// A transport whose timeouts end when `sleep` returns.
    private func transport(sleep: @escaping @Sendable (TimeInterval) async throws -> Void) -> AsyncHTTPClientTransport {
        AsyncHTTPClientTransport(
            configuration: HTTPClient.Configuration(),
            environment: SDKEnvironment(
                now: SDKEnvironment.live.now, randomBytes: SDKEnvironment.live.randomBytes, sleep: sleep))
    }

    /// The name of the error that a request ends with, and the cause of a failed connection.
    private func failure(_ work: () async throws -> Void) async -> String {
        do {
            try await work()
            return "none"
        } catch PreludeSessionError.network(let failure as PreludeTransportFailure) {
            return failure.cause.rawValue
        } catch let error as PreludeSessionError {
            return String("\(error)".prefix { $0 != "(" })
        } catch {
            return "\(type(of: error))"
        }
    }

    // MARK: Requests and responses

    @Test("A request arrives with its method, target, fields and body, and its response with status, fields and body")
    func exchange() async throws {
        let cookies = "Set-Cookie: a=1\r\nset-cookie: b=2\r\nDPoP-Nonce: n\r\n"
        try await PlayedServer.serve(.complete("hello", status: "409 Conflict", headers: cookies)) { server in
            var fields = HTTPFields()
            fields[.contentType] = "application/json"
            fields[try #require(HTTPField.Name("Host"))] = "app.example.com"
            let (response, body) = try await AsyncHTTPClientTransport()
                .send(request(server, .put, fields), body: Data("{}".utf8), timeout: 60)
            #expect(response.status.code == 409)
            #expect(response.headerFields[values: .setCookie] == ["a=1", "b=2"])
            #expect(body == Data("hello".utf8))
            let seen = try #require(server.traffic.now.requests.first)
            #expect(seen.hasPrefix("PUT /v1?a=b HTTP/1.1\r\n") && seen.hasSuffix("\r\n\r\n{}"))
            #expect(
                seen.contains("\r\nHost: app.example.com\r\n")
                    && seen.contains("\r\nContent-Type: application/json\r\n"))
        }
    }

    @Test("A redirect is returned and not followed")
    func redirect() async throws {
        try await PlayedServer.serve(.complete(status: "302 Found", headers: "Location: /elsewhere\r\n")) { server in
            let (response, _) = try await AsyncHTTPClientTransport().send(request(server, .get), body: nil, timeout: 60)
            #expect(response.status.code == 302)
            #expect(server.traffic.now.requests.count == 1)
        }
    }

    @Test("A redirect is not followed by a configuration of the app either")
    func configuredRedirect() async throws {
        try await PlayedServer.serve(.complete(status: "302 Found", headers: "Location: /elsewhere\r\n")) { server in
            let configuration = HTTPClient.Configuration(
                redirectConfiguration: .follow(max: 5, allowCycles: true))
            let (response, _) = try await AsyncHTTPClientTransport(configuration: configuration)
                .send(request(server, .get), body: nil, timeout: 60)
            #expect(response.status.code == 302)
        }
    }

    // MARK: Connections

    @Test("Requests in turn use one connection, which closes with the transport")
    func reuse() async throws {
        try await PlayedServer.serve(.complete("{}")) { server in
            do {
                let transport = AsyncHTTPClientTransport()
                for _ in 1...3 { _ = try await transport.send(request(server), body: Data("{}".utf8), timeout: 60) }
            }
            await server.traffic.wait { $0.closedConnections == 1 }
            #expect(server.traffic.now.connections == 1)
            #expect(server.traffic.now.requests.count == 3)
        }
    }

    @Test(
        "A connection that closes before the response is complete is no connection to the service",
        arguments: [
            "", "HTTP/1.1 20", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Le",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{",
        ])
    func closed(after text: String) async throws {
        try await PlayedServer.serve(.last(text)) { server in
            let transport = AsyncHTTPClientTransport()
            let error = await failure { _ = try await transport.send(request(server), body: nil, timeout: 60) }
            #expect(error == "connection_lost")
            #expect(server.traffic.now.requests.count == 1)
        }
    }

    @Test("A request on an open connection that the server closes is not repeated", arguments: [nil, Data("{}".utf8)])
    func staleConnection(body: Data?) async throws {
        try await PlayedServer.serve(.complete("{}"), .last(""), .complete("{}")) { server in
            let transport = AsyncHTTPClientTransport()
            _ = try await transport.send(request(server), body: body, timeout: 60)
            let error = await failure { _ = try await transport.send(request(server), body: body, timeout: 60) }
            #expect(error == "connection_lost")
            #expect(server.traffic.now.requests.count == 2)
            _ = try await transport.send(request(server), body: body, timeout: 60)
            #expect(server.traffic.now.requests.count == 3)
        }
    }

    @Test("A port without a server refuses the connection, and the failure names the host")
    func refused() async throws {
        let request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:1", path: "/")
        let error = await #expect(throws: PreludeSessionError.self) {
            _ = try await AsyncHTTPClientTransport().send(request, body: nil, timeout: 60)
        }
        #expect(error?.transportFailure?.cause == .refused && error?.transportFailure?.host == "127.0.0.1:1")
    }

    @Test("A name without an address is not found")
    func unknownName() async throws {
        // Reserved names that never exist (RFC 6761 §6.4).
        let request = HTTPRequest(method: .get, scheme: "http", authority: "session.invalid", path: "/")
        let error = await failure { _ = try await AsyncHTTPClientTransport().send(request, body: nil, timeout: 60) }
        #expect(error == "name_not_found")
    }

    @Test("A response that is not HTTP cannot be read")
    func otherProtocol() async throws {
        try await PlayedServer.serve(.bytes("220 mail.example.com ESMTP\r\n\r\n")) { server in
            let error = await failure {
                _ = try await AsyncHTTPClientTransport().send(request(server), body: nil, timeout: 60)
            }
            #expect(error == "invalid_response")
        }
    }

    @Test("A request without a valid URL is an invalid configuration", arguments: [nil, "", "ftp", "http"])
    func invalid(scheme: String?) async throws {
        let request = HTTPRequest(
            method: .get, scheme: scheme, authority: scheme == "http" ? "" : "a.example", path: "/")
        let error = await failure { _ = try await AsyncHTTPClientTransport().send(request, body: nil, timeout: 60) }
        #expect(error == "invalidConfiguration")
    }

    // MARK: Limits

    @Test(
        "A response that is not complete in time is a timeout, and its connection is closed",
        arguments: ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"])
    func timeout(after text: String) async throws {
        try await PlayedServer.serve(.bytes(text)) { server in
            let traffic = server.traffic
            let transport = transport { seconds in
                #expect(seconds == 7)
                await traffic.wait { $0.requests.count == 1 }
            }
            let error = await failure { _ = try await transport.send(request(server), body: nil, timeout: 7) }
            #expect(error == "timeout")
            await traffic.wait { $0.closedConnections == 1 }
        }
    }

    @Test(
        "A cancelled task stops its request and closes the connection",
        arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"])
    func cancelled(after text: String) async throws {
        try await PlayedServer.serve(.bytes(text)) { server in
            let (traffic, request) = (server.traffic, request(server))
            let task = Task { _ = try await AsyncHTTPClientTransport().send(request, body: nil, timeout: 60) }
            await traffic.wait { $0.requests.count == 1 }
            task.cancel()
            #expect(await failure { try await task.value } == "CancellationError")
            await traffic.wait { $0.closedConnections == 1 }
        }
    }

    @Test("A task that was cancelled before its request sends nothing")
    func cancelledBefore() async throws {
        try await PlayedServer.serve(.complete("{}")) { server in
            let request = request(server)
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                _ = try await AsyncHTTPClientTransport().send(request, body: nil, timeout: 60)
            }
            #expect(await failure { try await task.value } == "CancellationError")
            #expect(server.traffic.now.requests.isEmpty)
        }
    }

    @Test("A response with too many bytes is rejected, and its connection is closed", arguments: [true, false])
    func tooLarge(isAnnounced: Bool) async throws {
        let head = "HTTP/1.1 200 OK\r\n\(isAnnounced ? "Content-Length: 1099511627776\r\n" : "")\r\n"
        try await PlayedServer.serve(.endless(head: head, String(repeating: " ", count: 1 << 14))) { server in
            let transport = AsyncHTTPClientTransport()
            let error = await failure {
                _ = try await transport.send(request(server), body: nil, timeout: 60, maximumResponseBytes: 1 << 20)
            }
            #expect(error == "invalid_response")
            await server.traffic.wait { $0.closedConnections == 1 }
        }
    }

    @Test("A response of the largest size is accepted")
    func largest() async throws {
        try await PlayedServer.serve(.complete("12345")) { server in
            let transport = AsyncHTTPClientTransport()
            let (_, body) = try await transport.send(request(server), body: nil, timeout: 60, maximumResponseBytes: 5)
            #expect(body.count == 5)
            let error = await failure {
                _ = try await transport.send(request(server), body: nil, timeout: 60, maximumResponseBytes: 4)
            }
            #expect(error == "invalid_response")
        }
    }
}
