import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import SessionDomain
import Testing

@testable import SessionHTTP

@Suite("Places of requests and their responses")
struct CountedResponderTests {
    private struct Failure: Error {}

    private let work = RequestsInWork(limit: 1)
    private let channel = EmbeddedChannel()

    private func respond(
        _ handler: @escaping @Sendable (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        let request = Request(
            head: HTTPRequest(method: .post, scheme: "https", authority: "localhost", path: "/"),
            body: RequestBody(buffer: ByteBuffer()))
        let source = ApplicationRequestContextSource(channel: channel, logger: Logger(label: "test"))
        return try await CountedResponder(CallbackResponder(callback: handler), work: work)
            .respond(to: request, context: ServiceRequestContext(source: source))
    }

    @Test("A client that reads no response takes no place")
    func unreadResponse() async throws {
        #expect(work.admit(.session, on: ObjectIdentifier(channel)))
        let response = try await respond { [work] _, _ in
            #expect(work.count == 1, "while the response is computed")
            return Response(status: .ok)
        }
        // The response exists, and has not been written.
        #expect(response.status == .ok)
        #expect(work.count == 0)
    }

    @Test("A request that fails takes no place")
    func failure() async {
        #expect(work.admit(.session, on: ObjectIdentifier(channel)))
        await #expect(throws: Failure.self) { try await respond { _, _ in throw Failure() } }
        #expect(work.count == 0)
    }

    @Test("Cancelling the task of a connection keeps the place until the work has ended")
    func cancelled() async throws {
        #expect(work.admit(.session, on: ObjectIdentifier(channel)))
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let (begins, begin) = AsyncStream.makeStream(of: Void.self)
        let connection = Task {
            try await respond { [work] _, _ in
                begin.yield()
                // Work that does not react to cancellation, such as a commit.
                await Task { for await _ in ends { break } }.value
                #expect(work.count == 1)
                return Response(status: .ok)
            }
        }
        for await _ in begins { break }
        connection.cancel()
        end.yield()
        #expect(try await connection.value.status == .ok)
        #expect(work.count == 0)
    }
}
