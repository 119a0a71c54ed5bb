internal import Foundation

/// How the system treats files apart from permissions: when they can be read, and whether backups contain them.
///
/// It is not behind `#if`, so that its use is tested on every system.
protocol FileProtection: Sendable {
    /// Whether `protect(_:)` has nothing to do.
    func isProtected(_ path: String) -> Bool
    /// Makes a file readable from the first unlock since the device's start, and excludes it from backups. New files in a
    /// directory inherit both.
    func protect(_ path: String) throws
}

extension FileProtection {
    /// Protects a new directory, or one of an earlier version of the SDK with its files.
    ///
    /// The files first: the directory then shows whether all are protected. A failure is ignored and tried again at the next
    /// use, because the files are usable meanwhile.
    func complete(_ directory: String) {
        guard !isProtected(directory) else { return }
        do {
            for file in try FileManager.default.contentsOfDirectory(atPath: directory) {
                try protect(directory + "/" + file)
            }
            try protect(directory)
        } catch {}
    }
}

#if !canImport(Security)
    /// Linux has permissions only.
    struct SystemFileProtection: FileProtection {
        func isProtected(_ path: String) -> Bool { true }
        func protect(_ path: String) {}
    }
#endif
