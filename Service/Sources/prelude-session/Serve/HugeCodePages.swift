#if canImport(Glibc)
    import CHotCode
    import Foundation
    import Glibc

    /// Puts the code of this program that logins and refreshes run on huge pages.
    ///
    /// They run thousands of functions, and the processor remembers where a few hundred pages of 4 KB are. With pages of
    /// 2 MB it remembers all of them: `docs/hot-path.md` has the gain. In a program of `scripts/release` these functions stand
    /// beside each other. In another one, all of its code is moved. The code is copied into a file in memory, which is
    /// mapped at the same address. So no memory is ever writable and executable, as `MemoryDenyWriteExecute` of systemd
    /// demands. Needs `MADV_COLLAPSE` of Linux 6.1 (madvise(2)). Where something is missing, the code stays on small pages.
    enum HugeCodePages {
        /// What the system does not have.
        enum Obstacle: Error, CustomStringConvertible {
            /// The code of this program is not found, or is smaller than a huge page.
            case code
            /// A call failed with this errno.
            case call(String, CInt)

            var description: String {
                switch self {
                case .code: "no code of the size of a huge page was found"
                case .call(let name, let code): "\(name): \(String(cString: strerror(code)))"
                }
            }
        }

        private typealias CreateMemoryFile = @convention(c) (UnsafePointer<CChar>, CUnsignedInt) -> CInt

        private static let collapse: CInt = 25
        /// Closed in other programs, and can be sealed.
        private static let flags: CUnsignedInt = 1 | 2
        private static let addSeals: CInt = 1033
        /// No write, no other length and no other seal.
        private static let seals: CInt = 8 | 4 | 2 | 1
        private static let pageSize = "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size"

        /// Moves the code. Other threads may run it meanwhile, because every byte stays the same.
        ///
        /// - Returns: The bytes that are on huge pages now.
        static func use() throws(Obstacle) -> Int {
            let function: @convention(c) () -> Void = {}
            let page = text(of: pageSize).flatMap { UInt($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? 0
            let (first, last) = (UInt(bitPattern: chotcode_start()), UInt(bitPattern: chotcode_end()))
            guard
                let code = CodeRange(
                    maps: text(of: "/proc/self/maps") ?? "", around: unsafeBitCast(function, to: UInt.self),
                    hot: first < last ? first..<last : nil, page: page),
                let start = UnsafeMutableRawPointer(bitPattern: code.start)
            else { throw .code }
            let file = try memoryFile()
            defer { close(file) }
            var written = 0
            while written < code.length {
                let count = write(file, start + written, code.length - written)
                guard count > 0 else { throw .call("write", errno) }
                written += count
            }
            guard fcntl(file, addSeals, seals) == 0 else { throw .call("fcntl", errno) }
            // First at another address, so that the code stays where it is if the system gives no huge pages.
            let room = code.length + Int(page)
            guard let space = mmap(nil, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), space != MAP_FAILED else {
                throw .call("mmap", errno)
            }
            defer { munmap(space, room) }
            try map(file, at: space.alignedUp(toMultipleOf: Int(page)), length: code.length)
            try map(file, at: start, length: code.length)
            return code.length
        }

        private static func map(_ file: CInt, at address: UnsafeMutableRawPointer, length: Int) throws(Obstacle) {
            guard mmap(address, length, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED else {
                throw .call("mmap", errno)
            }
            guard madvise(address, length, collapse) == 0 else { throw .call("madvise", errno) }
        }

        /// memfd_create(2), which Swift does not import.
        private static func memoryFile() throws(Obstacle) -> CInt {
            guard let function = dlsym(nil, "memfd_create") else { throw .call("memfd_create", ENOSYS) }
            let create = unsafeBitCast(function, to: CreateMemoryFile.self)
            let file = create("prelude-session-code", flags)
            guard file >= 0 else { throw .call("memfd_create", errno) }
            return file
        }

        private static func text(of path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }
    }
#endif
