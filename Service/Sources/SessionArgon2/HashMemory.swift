internal import CHashMemory
internal import Foundation

/// The memory of a hash, which libsodium maps before each hash and unmaps after it.
///
/// On Linux, huge pages (`transparent_hugepage`, `always` or `madvise`) make a hash of 19 MiB 1.7 times as fast, and other
/// threads wait less for its processor (`docs/performance.md`).
enum HashMemory {
    /// Whether the system gives huge pages to a program that asks. If not, libsodium's own way is faster: it has all pages
    /// mapped at once.
    static let hasHugePages: Bool = {
        let setting = try? String(contentsOfFile: "/sys/kernel/mm/transparent_hugepage/enabled", encoding: .utf8)
        return setting.map { $0.contains("[always]") || $0.contains("[madvise]") } ?? false
    }()

    /// Runs the work of a hash on this thread.
    static func inHugePages<Answer, Failure>(_ work: () throws(Failure) -> Answer) throws(Failure) -> Answer {
        chashmemory_use_huge_pages(1)
        defer { chashmemory_use_huge_pages(0) }
        return try work()
    }
}
