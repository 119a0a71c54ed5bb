import Testing

@testable import PreludeSessionUI

@MainActor @Suite("Work of a view that appears and disappears")
struct SingleRunTests {
    private let run = SingleRun()

    @Test("Work of a call during a run that was cancelled starts after that run")
    func cancelled() async {
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        var finished: [Int] = []
        let first = await appear {
            await run {
                // Like a refresh that other callers share, it ignores cancellation.
                await Task { for await _ in gate { break } }.value
                finished.append(1)
            }
        }
        first.cancel()
        let second = await appear { await run { finished.append(2) } }
        #expect(finished.isEmpty)
        opener.yield()
        await first.value
        await second.value
        #expect(finished == [1, 2])
    }

    @Test("Work of a call during a run that was not cancelled is not repeated")
    func completed() async {
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        var finished: [Int] = []
        let first = await appear {
            await run {
                for await _ in gate { break }
                finished.append(1)
            }
        }
        let second = await appear { await run { finished.append(2) } }
        opener.yield()
        await first.value
        await second.value
        #expect(finished == [1])
        await run { finished.append(3) }
        #expect(finished == [1, 3])
    }

    @Test("A cancelled call that waits starts nothing")
    func cancelledBoth() async {
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        var finished: [Int] = []
        let first = await appear {
            await run {
                await Task { for await _ in gate { break } }.value
                finished.append(1)
            }
        }
        first.cancel()
        let second = await appear { await run { finished.append(2) } }
        second.cancel()
        opener.yield()
        await first.value
        await second.value
        #expect(finished == [1])
    }
}
