import NIOCore
import NIOPosix
import Testing

@testable import SessionHTTP

@Suite("Work of the background on an event loop", .timeLimit(.minutes(2)))
struct EventLoopWorkTests {
    @Test("The work, its child tasks and its timers stay on one event loop")
    func place() async {
        await EventLoopWork.run {
            let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
            #expect(eventLoop.inEventLoop)
            await withTaskGroup(of: Bool.self) { group in
                group.addTask {
                    try? await EventLoopWork.sleep(seconds: 0)
                    return eventLoop.inEventLoop
                }
                for await isOnLoop in group { #expect(isOnLoop) }
            }
        }
    }

    @Test("A cancelled wait throws at once, also if it was cancelled before")
    func cancellation() async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let started = eventLoop.makePromise(of: Void.self)
        let running = Task(executorPreference: EventLoopExecutor(eventLoop)) {
            // The tasks of a loop take turns: this one is done when the wait has begun.
            eventLoop.execute { started.succeed() }
            try await EventLoopWork.sleep(seconds: 86_400)
        }
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await EventLoopWork.sleep(seconds: 86_400)
        }
        try await started.futureResult.get()
        running.cancel()
        for task in [running, cancelled] {
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }
}
