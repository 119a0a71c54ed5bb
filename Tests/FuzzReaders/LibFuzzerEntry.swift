#if LIBFUZZER
    import Foundation

    /// Which reader a run of libFuzzer is about: `PRELUDE_SESSION_FUZZ_TARGET`.
    private let reader: FuzzTarget? = {
        let name = ProcessInfo.processInfo.environment["PRELUDE_SESSION_FUZZ_TARGET"]
        return try? FuzzTarget.all().first { $0.name == name }
    }()

    /// What libFuzzer calls once, before it reads its arguments: the seeds of the reader become files of its corpus, and
    /// its words a dictionary, so that it begins where the tests do.
    @_cdecl("LLVMFuzzerInitialize")
    public func initialize(_ count: UnsafeMutableRawPointer, _ arguments: UnsafeMutableRawPointer) -> CInt {
        let environment = ProcessInfo.processInfo.environment
        guard let reader else {
            let names = (try? FuzzTarget.all().map(\.name)) ?? []
            FileHandle.standardError.write(
                Data("There is no such reader, but: \(names.joined(separator: ", "))\n".utf8))
            exit(1)
        }
        do {
            if let folder = environment["PRELUDE_SESSION_FUZZ_SEEDS"] { try reader.writeSeeds(into: folder) }
            if let file = environment["PRELUDE_SESSION_FUZZ_WORDS"] { try reader.writeWords(to: file) }
        } catch {
            preconditionFailure("the seeds cannot be written: \(error)")
        }
        return 0
    }

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

    extension FuzzTarget {
        fileprivate func writeSeeds(into folder: String) throws {
            for (index, seed) in seeds.enumerated() {
                try Data(seed.utf8).write(to: URL(fileURLWithPath: folder).appendingPathComponent("seed-\(index)"))
            }
        }

        /// One word a line, in quotes, all bytes escaped.
        fileprivate func writeWords(to file: String) throws {
            let lines = words.filter { !$0.isEmpty }.map { word in
                "\"" + word.utf8.map { ($0 < 16 ? "\\x0" : "\\x") + String($0, radix: 16) }.joined() + "\""
            }
            try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: file))
        }
    }
#endif
