#if LIBFUZZER
    import Foundation

    /// Which reader a run of libFuzzer is about: `PRELUDE_SESSION_FUZZ_TARGET`.
    private let reader: FuzzTarget? = {
        let name = ProcessInfo.processInfo.environment["PRELUDE_SESSION_FUZZ_TARGET"]
        return try? FuzzTarget.all().first { $0.name == name }
    }()

    /// What libFuzzer calls with each input. A rule that does not hold ends the process, which is how it hears of it.
    @_cdecl("LLVMFuzzerTestOneInput")
    public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
        guard let reader else { preconditionFailure("PRELUDE_SESSION_FUZZ_TARGET names no reader") }
        let input = Array(UnsafeBufferPointer(start: bytes, count: count))
        do {
            _ = try reader.check(input)
        } catch {
            preconditionFailure("\(reader.name): \(error)")
        }
        return 0
    }
#endif
