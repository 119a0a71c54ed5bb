internal import CHashMemory
internal import Foundation
internal import Testing

@testable internal import SessionArgon2

#if canImport(Glibc)
    internal import Glibc

    @Suite("Huge pages for the memory of hashes")
    struct HashMemoryTests {
        private static let password = Array("a password".utf8CString.dropLast())

        /// The mappings for which this thread asks for huge pages meanwhile.
        private func requests(during work: () throws -> Void) rethrows -> Int64 {
            let before = chashmemory_requests()
            try work()
            return chashmemory_requests() - before
        }

        @Test("libsodium maps the memory of a hash through the function of this program, and only then")
        func requests() throws {
            let cost = Argon2Cost(uncheckedPasses: 1, memory: 8192)
            let (usual, plain) = (try Argon2Engine.sodium(hugePages: true), try Argon2Engine.sodium(hugePages: false))
            var hash = ""
            #expect(try requests { hash = try usual.hash(Self.password, cost) } == 1)
            var matches: [Bool] = []
            #expect(try requests { matches.append(try usual.verify(Self.password, hash)) } == 1)
            #expect(try requests { matches.append(try plain.verify(Self.password, hash)) } == 0)
            #expect(matches == [true, true])
            #expect(try requests { hash = try plain.hash(Self.password, cost) } == 0)
            // A hash that fails does not leave it on.
            #expect(try requests { matches = [try usual.verify(Self.password, "no hash")] } == 0)
            #expect(matches == [false])
            #expect(requests { _ = Data(count: 64 << 20) } == 0)
        }

        /// What the kernel allows, in brackets.
        private static let setting =
            (try? String(contentsOfFile: "/sys/kernel/mm/transparent_hugepage/enabled", encoding: .utf8)) ?? "[never]"

        /// Where this is 1, the kernel would promise memory that it does not have.
        private static let refusesMemory =
            (try? String(contentsOfFile: "/proc/sys/vm/overcommit_memory", encoding: .utf8))?.hasPrefix("1") == false

        @Test(
            "A verification without memory is an error, and no wrong password", .enabled(if: refusesMemory),
            arguments: [true, false])
        func outOfMemory(hugePages: Bool) throws {
            let engine = try Argon2Engine.sodium(hugePages: hugePages)
            let hash = try engine.hash(Self.password, Argon2Cost(uncheckedPasses: 1, memory: 8192))
            #expect(try !engine.verify(Self.password + [1], hash))
            let terabytes = hash.replacingOccurrences(of: "m=8192", with: "m=4294967295")
            #expect(throws: Argon2Error.outOfMemory(kibibytes: 4_294_967_295)) {
                try engine.verify(Self.password, terabytes)
            }
        }

        @Test("Hashes ask for huge pages only if the system has some")
        func asked() {
            #expect(HashMemory.hasHugePages == !Self.setting.contains("[never]"))
        }

        @Test("The kernel gives huge pages", .enabled(if: !setting.contains("[never]")))
        func pages() throws {
            let size = 32 << 20
            let start = try HashMemory.inHugePages {
                try #require(mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
            }
            defer { munmap(start, size) }
            try #require(start != MAP_FAILED)
            memset(start, 1, size)
            #expect(try Self.hugeKibibytes(at: UInt(bitPattern: start)) >= 16 << 10)
        }

        /// The huge pages of the mapping that has an address (proc_pid_smaps(5)). The kernel can join it with its neighbours.
        private static func hugeKibibytes(at address: UInt) throws -> Int {
            // Foundation reads only the beginning of such a file when it is asked for a text.
            let bytes = try #require(try FileHandle(forReadingAtPath: "/proc/self/smaps")?.readToEnd())
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            let mapping = lines.drop { line in
                let ends = line.prefix { $0 != " " }.split(separator: "-").map { UInt($0, radix: 16) }
                guard ends.count == 2, let start = ends[0], let end = ends[1] else { return true }
                return !(start..<end).contains(address)
            }
            let huge = try #require(mapping.first { $0.hasPrefix("AnonHugePages:") })
            return try #require(huge.split(separator: " ").dropFirst().first.flatMap { Int($0) })
        }

        @Test("A small mapping, and one of a file, are as they were asked for")
        func others() throws {
            let counted = try requests {
                try HashMemory.inHugePages {
                    let small = try #require(
                        mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
                    #expect(small != MAP_FAILED)
                    munmap(small, 4096)
                    let file = open("/proc/self/exe", O_RDONLY)
                    defer { close(file) }
                    let large = try #require(mmap(nil, 8 << 20, PROT_READ, MAP_PRIVATE, file, 0))
                    #expect(large != MAP_FAILED)
                    #expect(large.loadUnaligned(as: UInt32.self) == 0x464C_457F)
                    munmap(large, 8 << 20)
                }
            }
            #expect(counted == 0)
            #expect(mmap(nil, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
            #expect(errno == EINVAL)
        }
    }
#endif
