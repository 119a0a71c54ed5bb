import Foundation

/// Whether a file system keeps the promises that SQLite needs: locks that every process sees, shared memory, and a sync
/// that reaches the disk. Network file systems do not.
enum FileSystemKind: Equatable {
    case local
    /// - Parameter type: The type as the system names it, such as `nfs4`.
    case network(_ type: String)

    /// Decides by the name of a type. Unknown types are local: most are.
    ///
    /// Of FUSE, only `fuseblk` has a block device of this machine. What is behind the others is not known, and they have
    /// no reliable shared memory.
    init(type: String) {
        let isNetwork = Self.networkTypes.contains(type) || type == "fuse" || type.hasPrefix("fuse.")
        self = isNetwork ? .network(type) : .local
    }

    private static let networkTypes: Set<String> = [
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "9p", "afs", "coda", "ceph", "lustre", "ocfs2", "gfs", "gfs2",
        "gpfs", "beegfs", "glusterfs", "pvfs2", "orangefs", "panfs", "davfs", "webdav", "afpfs", "virtiofs", "vboxsf",
        "vmhgfs", "prl_fs",
    ]

    /// Why a database must not be here, and the remedy. `nil`: it may.
    func problem(ofDatabase path: String) -> String? {
        guard case .network(let type) = self else { return nil }
        return
            "\(path) is on a network file system (\(type)). Locks and syncs are not reliable there, so sessions can be "
            + "lost and the database damaged. Use a local disk, and copy backups to the network. "
            + "--allow-network-file-system accepts the risk"
    }
}

/// The mounted file systems of this process, as in `/proc/self/mountinfo` (proc(5)).
struct MountTable {
    private let mounts: [(point: String, type: String)]

    /// - Parameter text: The content of the file. Lines in another format have no effect.
    init(_ text: String) {
        mounts = text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            guard let separator = fields.firstIndex(of: "-"), separator + 1 < fields.count, separator > 4 else {
                return nil
            }
            return (Self.unescaped(fields[4]), String(fields[separator + 1]))
        }
    }

    /// The type of the file system that contains a path: that of the longest mount point, and of those the last one, which
    /// hides the others.
    func type(of path: String) -> String? {
        var longest: (point: String, type: String)?
        for mount in mounts where Self.contains(mount.point, path) {
            if mount.point.count >= longest?.point.count ?? 0 { longest = mount }
        }
        return longest?.type
    }

    private static func contains(_ point: String, _ path: String) -> Bool {
        point == "/" || path == point || path.hasPrefix(point + "/")
    }

    /// Space, tab, line feed and backslash are octal numbers.
    private static func unescaped(_ text: Substring) -> String {
        guard text.utf8.contains(UInt8(ascii: "\\")) else { return String(text) }
        let numbers = [#"\040"#: " ", #"\011"#: "\t", #"\012"#: "\n"]
        let spaced = numbers.reduce(String(text)) { $0.replacingOccurrences(of: $1.key, with: $1.value) }
        return spaced.replacingOccurrences(of: #"\134"#, with: #"\"#)
    }
}

extension FileSystemKind {
    /// The kind of the file system that contains a folder. `nil` if the system does not say.
    ///
    /// - Parameter path: An absolute path without symbolic links.
    static func of(folder path: String) -> FileSystemKind? {
        #if canImport(Darwin)
            var volume = statfs()
            guard statfs(path, &volume) == 0 else { return nil }
            let type = withUnsafeBytes(of: volume.f_fstypename) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            return volume.f_flags & UInt32(MNT_LOCAL) == 0 ? .network(type) : FileSystemKind(type: type)
        #else
            guard let text = try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8) else { return nil }
            return MountTable(text).type(of: path).map(FileSystemKind.init(type:))
        #endif
    }
}

@available(service, *)
extension ServiceConfiguration {
    /// Checks that the database is on a file system of this machine.
    ///
    /// - Parameter path: The path of the database, which need not exist.
    func checkFileSystem(ofDatabase path: String) throws {
        guard !allowsNetworkFileSystem else { return }
        let folder = URL(fileURLWithPath: path).resolvingSymlinksInPath().deletingLastPathComponent().path
        if let problem = FileSystemKind.of(folder: folder)?.problem(ofDatabase: path) {
            throw settings.error(.database, problem)
        }
    }
}
