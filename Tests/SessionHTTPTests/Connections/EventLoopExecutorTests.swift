import Dispatch
import NIOCore
import NIOEmbedded
import NIOPosix
import Synchronization
import Testing

@testable import SessionHTTP

@Suite("Tasks on the event loop of their connection", .timeLimit(.minutes(2)))
struct EventLoopExecutorTests {
    private let eventLoop = MultiThreadedEventLoopGroup.singleton.next()

    @Test("A task runs on the event loop, also after it has waited for another thread")
    @available(service, *)
    func place() async {
        await withTaskExecutorPreference(EventLoopExecutor(eventLoop)) { [eventLoop] in
            #expect(eventLoop.inEventLoop)
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async { continuation.resume() }
            }
            #expect(eventLoop.inEventLoop)
            await withTaskGroup(of: Bool.self) { group in
                group.addTask { eventLoop.inEventLoop }
                for await isOnLoop in group { #expect(isOnLoop) }
            }
        }
    }

    @Test("Sockets get their turn while a task has always something to run")
    @available(service, *)
    func sockets() async throws {
        let accepted = Flag()
        let server = try await ServerBootstrap(group: eventLoop)
            .childChannelInitializer { channel in
                accepted.set()
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let busy = Task(executorPreference: EventLoopExecutor(eventLoop)) {
            while !accepted.isSet { await Task.yield() }
        }
        let client = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(to: #require(server.localAddress)).get()
        await busy.value
        try await client.close()
        try await server.close()
    }

    @Test("A listener has one executor for each event loop")
    @available(service, *)
    func executors() {
        let executors = EventLoopExecutors()
        let other = EmbeddedEventLoop()
        #expect(executors.executor(of: eventLoop) === executors.executor(of: eventLoop))
        #expect(executors.executor(of: eventLoop) !== executors.executor(of: other))
    }
}

private final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() { value.store(true, ordering: .releasing) }
}
