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

    @Test("Sockets get their turn while tasks and the event loop itself have always something to run")
    func sockets() async throws {
        let accepted = Flag()
        let server = try await ServerBootstrap(group: eventLoop)
            .childChannelInitializer { channel in
                accepted.set()
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let executor = EventLoopExecutor(eventLoop)
        let busy = Task(executorPreference: executor) { [eventLoop] in
            // Something else is due after each slice, and takes longer than any pause.
            for _ in 0..<1_000 where !accepted.isSet {
                let end = eventLoop.now + EventLoopExecutor.slice
                while eventLoop.now < end {}
                eventLoop.execute {
                    let end = eventLoop.now + EventLoopExecutor.pause
                    while eventLoop.now <= end {}
                }
                await Task.yield()
            }
        }
        let client = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(to: #require(server.localAddress)).get()
        await busy.value
        #expect(accepted.isSet)
        try await client.close()
        try await server.close()
    }

    @Test("What waits for the sockets also runs when the pipe is closed")
    func closedPipe() async throws {
        let (tick, ran) = (SocketTick(), Flag())
        tick.open(on: eventLoop)
        let isWaiting = try await eventLoop.submit {
            defer { tick.close() }
            return tick.run { ran.set() }
        }.get()
        #expect(isWaiting)
        // Two turns of the event loop: one closes the pipe, and the other one runs what has waited.
        for _ in 0..<2 { try await eventLoop.submit {}.get() }
        #expect(ran.isSet)
    }

    @Test("What is left for the end of a turn runs after all jobs that are ready")
    func endOfTurn() async throws {
        let (handover, order, executor) = (EventLoopHandover(), Recorder<String>(), EventLoopExecutor(eventLoop))
        try await eventLoop.submit {
            for name in ["a", "b"] {
                Task(executorPreference: executor) {
                    handover.afterTick { order.add("end of \(name)") }
                    order.add(name)
                }
            }
        }.get()
        await withTaskExecutorPreference(executor) {}
        // A later turn, so the end of that one is over.
        try await eventLoop.submit {}.get()
        #expect(order.all.starts(with: ["a", "b", "end of a", "end of b"]))
        handover.afterTick { order.add("at once") }
        #expect(order.all.last == "at once")
    }

    @Test("An event loop wakes up after all of its tasks are resumed")
    func resuming() async throws {
        let (waiting, ran) = (Recorder<CheckedContinuation<Void, Never>>(), Recorder<Int>())
        let executor = EventLoopExecutor(eventLoop)
        await withTaskExecutorPreference(executor) {
            await withTaskGroup { group in
                for _ in 0..<2 {
                    group.addTask {
                        await withCheckedContinuation { continuation in waiting.add(continuation) }
                        ran.add(1)
                    }
                }
                group.addTask { [eventLoop] in
                    while waiting.all.count < 2 { await Task.yield() }
                    await withCheckedContinuation { done in
                        DispatchQueue.global().async {
                            // The turn in which the task began to wait would run the others, too. On a busy machine, several
                            // turns follow it.
                            repeat { try? eventLoop.submit {}.wait() } while !executor.isIdle
                            EventLoopHandover().resuming {
                                for continuation in waiting.all { continuation.resume() }
                                // Other work of the event loop runs meanwhile, but none of the tasks.
                                try? eventLoop.submit { #expect(ran.all.isEmpty) }.wait()
                            }
                            done.resume()
                        }
                    }
                }
            }
        }
        #expect(ran.all == [1, 1])
    }

    @Test(
        "The cores that a process is bound to are the bits of its mask",
        arguments: [
            ("Name:\tx\nCpus_allowed:\t1\nCpus_allowed_list:\t0\n", 1), ("Cpus_allowed:\tff,ffffffff\n", 40),
            ("Cpus_allowed:\t0\n", nil), ("Name:\tx\n", nil),
        ])
    func cores(status: String, count: Int?) {
        #expect(EventLoops.allowedCores(status) == count)
    }

    @Test("A listener has one executor for each event loop")
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

private final class Recorder<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])

    var all: [Value] { values.withLock(\.self) }

    func add(_ value: Value) { values.withLock { $0.append(value) } }
}
