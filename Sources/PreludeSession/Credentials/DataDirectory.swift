internal import Foundation

/// Where an app keeps its credentials if it names no directory: one folder for each app of a user.
enum DataDirectory {
    /// `nil` if the system names no home directory.
    static var standard: String? {
        path(
            environment: ProcessInfo.processInfo.environment, home: home,
            app: Bundle.main.bundleIdentifier ?? executable)
    }

    /// The home directory in the database of users; empty for a user without an entry. `NSHomeDirectory` reads `HOME` first,
    /// and completes a relative one with the working directory.
    private static var home: String {
        #if canImport(Darwin)
            NSHomeDirectory()
        #else
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1 << 14) { buffer in
                var entry = passwd()
                var found: UnsafeMutablePointer<passwd>?
                guard let start = buffer.baseAddress,
                    getpwuid_r(geteuid(), &entry, start, buffer.count, &found) == 0, found != nil
                else { return "" }
                return entry.pw_dir.map { String(cString: $0) } ?? ""
            }
        #endif
    }

    /// The name under which the process was started. `ProcessInfo` has the path of the file instead, which changes when a
    /// running executable is replaced.
    private static var executable: String {
        CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? ""
    }

    /// - Parameters:
    ///   - environment: `XDG_DATA_HOME` and, on Linux, `HOME` count if they are absolute (XDG Base Directory Specification).
    ///   - home: The home directory that the system names; relative or empty if it knows none. Used on Linux.
    ///   - app: The bundle, or the name of the executable.
    /// - Returns: An absolute path. `nil` without an absolute home: credentials must not depend on the working directory.
    static func path(environment: [String: String], home: String, app: String) -> String? {
        func absolute(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        #if canImport(Darwin)
            let standard: String? = AppleFolders.current.records
        #else
            let known = absolute("HOME") ?? (home.hasPrefix("/") ? home : nil)
            let standard = known.map { $0 + "/.local/share/prelude-session" }
        #endif
        let apps = absolute("XDG_DATA_HOME").map { $0 + "/prelude-session" } ?? standard
        return apps.map { $0 + "/" + (app.isEmpty ? "app" : FileName.folder(app)) }
    }
}
