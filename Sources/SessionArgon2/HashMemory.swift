internal import CHashMemory

/// The memory of a hash, which libsodium maps before each hash and unmaps after it.
///
/// On Linux, huge pages (`transparent_hugepage`, `always` or `madvise`) make a hash of 19 MiB 1.7 times as fast, and other
/// threads wait less for its processor (`docs/performance.md`). Without them, all is as libsodium does it.
enum HashMemory {
    /// Runs the work of a hash on this thread.
    static func inHugePages<Answer, Failure>(_ work: () throws(Failure) -> Answer) throws(Failure) -> Answer {
        chashmemory_use_huge_pages(1)
        defer { chashmemory_use_huge_pages(0) }
        return try work()
    }
}
