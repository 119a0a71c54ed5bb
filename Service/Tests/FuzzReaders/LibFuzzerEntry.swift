#if LIBFUZZER
    import Foundation

    /// The reader to fuzz, from `PRELUDE_SESSION_FUZZ_TARGET`.
    private let reader: FuzzTarget? = {
        let name = ProcessInfo.processInfo.environment["PRELUDE_SESSION_FUZZ_TARGET"]
        return try? FuzzTarget.all().first { $0.name == name }
    }()

    /// libFuzzer calls this once, before it reads its arguments.
    ///
    /// Writes the seeds of the reader as files of the corpus, and its words as a dictionary.
    @_cdecl("LLVMFuzzerInitialize")
    public func initialize(_ count: UnsafeMutableRawPointer, _ arguments: UnsafeMutableRawPointer) -> CInt {
        let environment = ProcessInfo.processInfo.environment
        guard let reader else {
            let names = (try? FuzzTarget.all().map(\.name)) ?? []
            FileHandle.standardError.write(
                Data("PRELUDE_SESSION_FUZZ_TARGET must be one of: \(names.joined(separator: ", "))\n".utf8))
            exit(1)
        }
        do {
            if let folder = environment["PRELUDE_SESSION_FUZZ_SEEDS"] { try reader.writeSeeds(into: folder) }
            if let file = environment["PRELUDE_SESSION_FUZZ_WORDS"] { try reader.writeWords(to: file) }
        } catch {
            preconditionFailure("cannot write the seeds: \(error)")
        }
        return 0
    }

    /// libFuzzer calls this with each input. A violation ends the process, which libFuzzer reports as a crash.
    @_cdecl("LLVMFuzzerTestOneInput")
    public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
        guard let reader else { preconditionFailure("PRELUDE_SESSION_FUZZ_TARGET is not the name of a reader") }
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
                try Data(seed).write(to: URL(fileURLWithPath: folder).appendingPathComponent("seed-\(index)"))
            }
        }

        /// Writes one word per line, in quotes, with all bytes escaped.
        fileprivate func writeWords(to file: String) throws {
            let lines = words.filter { !$0.isEmpty }.map { word in
                "\"" + word.utf8.map { ($0 < 16 ? "\\x0" : "\\x") + String($0, radix: 16) }.joined() + "\""
            }
            try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: file))
        }
    }
#endif
