import AllocationCount

/// What one call costs, of a block of calls made one after another.
struct Block {
    /// Nanoseconds a call.
    let time: Double
    /// Allocations a call, of all threads; `nil` where they cannot be counted.
    let allocations: Double?
    /// The most bytes in use at once, above those in use at the beginning.
    let peakBytes: Int?

    /// Makes the calls twice: timed, then counted, so that counting costs no time.
    static func measure(_ calls: Int, _ make: () async throws -> Call) async throws -> Block {
        let time = try await timed(calls, try await make())
        guard allocation_count_is_available() else { return Block(time: time, allocations: nil, peakBytes: nil) }
        let totals = try await counted(calls, try await make())
        return Block(
            time: time, allocations: Double(totals.count) / Double(calls), peakBytes: Int(totals.peak_bytes))
    }

    private static func timed(_ calls: Int, _ call: Call) async throws -> Double {
        let begun = ContinuousClock.now
        for _ in 0..<calls { try await call() }
        let (seconds, attoseconds) = (ContinuousClock.now - begun).components
        return (Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / Double(calls)
    }

    private static func counted(_ calls: Int, _ call: Call) async throws -> allocation_totals {
        allocation_count_begin()
        do {
            for _ in 0..<calls { try await call() }
            return allocation_count_end()
        } catch {
            _ = allocation_count_end()
            throw error
        }
    }
}
