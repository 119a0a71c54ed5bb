import Foundation
import SessionDomain
import SessionEgress
import Testing

/// Tests that no status of a server ends the process.
@Suite("Statuses that cannot answer a request", .timeLimit(.minutes(5)))
struct StatusGuardTests {
    // Proves: H20
    @Test("A final status below 100, and 101, fail the call and close the connection", arguments: [0, 20, 99, 101])
    func invalid(_ status: Int) async throws {
        let line = "HTTP/1.1 \(String(format: "%03d", status)) X\r\n"
        for rest in ["\r\n", "Content-Length: 0\r\n\r\n", "Content-Length: 5\r\n\r\nhello"] {
            try await withServer(.bytes(line + rest)) { server in
                try await withEgress { egress in
                    for _ in 0..<2 {
                        await #expect(
                            throws: EgressError.connectionFailed(
                                "127.0.0.1 answered with the invalid status \(status).")
                        ) {
                            try await egress.send(EgressRequest(.post, server.url, body: Data("{}".utf8), timeout: 60))
                        }
                    }
                }
                #expect(server.connections == 2)
            }
        }
    }

    @Test("An interim status before the answer is skipped", arguments: [100, 102, 199])
    func interim(_ status: Int) async throws {
        let text = "HTTP/1.1 \(status) X\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        try await withServer(.bytes(text)) { server in
            let answer = try await withEgress { try await $0.send(EgressRequest(.get, server.url, timeout: 60)) }
            #expect(answer == EgressAnswer(status: 200, body: Data("ok".utf8)))
        }
    }

    @Test("An interim status without an answer is a closed connection", arguments: [100, 199])
    func onlyInterim(_ status: Int) async throws {
        try await withServer(.bytes("HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\r\n", closes: true)) { server in
            try await withEgress { egress in
                await #expect(throws: EgressError.connectionFailed("127.0.0.1 closed the connection.")) {
                    try await egress.send(EgressRequest(.get, server.url, timeout: 60))
                }
            }
        }
    }
}
