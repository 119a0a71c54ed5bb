import AllocationCount

/// The average cost of one call in a block of sequential calls.
struct Block {
    /// Nanoseconds per call.
    let time: Double
    /// Allocations per call, of all threads; `nil` if they cannot be counted.
    let allocations: Double?
    /// The peak of bytes in use, minus the bytes in use at the beginning.
    let peakBytes: Int?

    /// Runs the calls twice, first timed, then counted, so that counting does not affect the time.
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
