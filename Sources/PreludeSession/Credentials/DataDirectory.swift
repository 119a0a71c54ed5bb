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

/// The folders of the SDK's files on Apple systems.
///
/// It is not behind `#if`, so that it is tested on every system.
struct AppleFolders: Sendable {
    /// The home directory: the app's container, or without a sandbox the user's.
    let home: String
    /// tvOS lets apps write to folders of caches only, and deletes their files when it needs space.
    let isTV: Bool

    /// Of the file store.
    var records: String { support(in: home) }

    /// Of the locks of one app's Keychain items. Without a sandbox all apps share one caches directory, so it contains the
    /// app's name.
    func locks(ofApp app: String, service: String) -> String {
        home + "/Library/Caches/" + FileName.folder(app) + "/" + FileName.folder(service)
    }

    /// Of the locks of Keychain items that an app group shares.
    func locks(inGroup container: String, service: String) -> String {
        support(in: container) + "/" + FileName.folder(service)
    }

    private func support(in container: String) -> String {
        container + (isTV ? "/Library/Caches" : "/Library/Application Support") + "/prelude-session"
    }

    static var current: AppleFolders {
        #if os(tvOS)
            AppleFolders(home: NSHomeDirectory(), isTV: true)
        #else
            AppleFolders(home: NSHomeDirectory(), isTV: false)
        #endif
    }
}

/// Names of files and folders for texts of any content.
enum FileName {
    /// The name of a record's or a lock's file. Different records have different files.
    ///
    /// Letters, digits, `.`, `-` and `+` stay, and `:` becomes `_`, as in earlier versions. Any other byte becomes `%` and two
    /// hexadecimal digits, also `_` itself. A dot at the start does, too, because temporary files start with one.
    static func record(_ name: String) -> String {
        name.utf8.enumerated().map { index, byte in
            switch byte {
            case UInt8(ascii: ".") where index == 0: escaped(byte)
            case UInt8(ascii: ":"): "_"
            case _ where isLetterOrDigit(byte) || ".-+".utf8.contains(byte): String(Unicode.Scalar(byte))
            default: escaped(byte)
            }
        }.joined()
    }

    /// The name of a folder for an app or a service. Apps with names of letters, digits, `.`, `-`, `_` and `+` have folders of
    /// their own.
    static func folder(_ name: String) -> String {
        let characters = name.unicodeScalars.map { scalar in
            scalar.isASCII && (isLetterOrDigit(UInt8(scalar.value)) || ".-_+".unicodeScalars.contains(scalar))
                ? Character(scalar) : "_"
        }
        return characters.first == "." ? "_" + String(characters.dropFirst()) : String(characters)
    }

    /// The byte as in RFC 3986 §2.1: `%` and two hexadecimal digits.
    static func escaped(_ byte: UInt8) -> String {
        "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }

    static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}

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
