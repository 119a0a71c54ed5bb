import Foundation

/// Whether a file system keeps the promises that SQLite needs: locks that every process sees, shared memory, and a sync
/// that reaches the disk. File systems of a network, a cluster or another machine do not.
enum FileSystemKind: Equatable {
    case local
    case network

    /// Decides by the name of a type, as the system writes it. Unknown types are local: most are.
    ///
    /// Of FUSE, `fuseblk` has a block device of this machine, and `fuse-overlayfs` has the layers of a container. What is
    /// behind the others is not known, and they have no reliable shared memory.
    init(type: String) {
        let isUnknownFUSE = type == "fuse" || type.hasPrefix("fuse.") && !Self.localFUSE.contains(type)
        self = isUnknownFUSE || Self.networkTypes.contains(type) ? .network : .local
    }

    private static let localFUSE: Set<String> = ["fuse.fuse-overlayfs"]

    private static let networkTypes: Set<String> = [
        // Of a network.
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "afs", "coda", "ceph", "lustre", "beegfs", "glusterfs",
        "pvfs2", "orangefs", "panfs", "wekafs", "davfs", "webdav", "afpfs",
        // Of a cluster that shares its disks.
        "ocfs2", "gfs", "gfs2", "gpfs",
        // Of the machine that runs this virtual one.
        "9p", "virtiofs", "vboxsf", "vmhgfs", "prl_fs",
    ]
}

/// A mounted file system.
struct Mount: Equatable {
    /// The path where it is mounted, such as `/data`.
    let point: String
    /// The type as the system names it, such as `nfs4`.
    let type: String
    let kind: FileSystemKind

    /// - Parameter kind: What the system says about the mount; `nil`: its type decides.
    init(point: String, type: String, kind: FileSystemKind? = nil) {
        self.point = point
        self.type = type
        self.kind = kind ?? FileSystemKind(type: type)
    }

    /// Why a database must not be here, and the remedy. `nil`: it may.
    func problem(ofDatabase path: String) -> String? {
        guard kind == .network else { return nil }
        return
            "\(path) is on a network file system: \(type), mounted at \(point). Locks and syncs are not reliable there, "
            + "so sessions can be lost and the database damaged. Use a local disk, and copy backups to the network"
    }
}

extension Mount {
    /// The mount that contains a file or a folder. `nil` if the path does not exist, or the system does not say.
    static func containing(_ path: String) -> Mount? {
        #if canImport(Darwin)
            var volume = statfs()
            guard statfs(path, &volume) == 0 else { return nil }
            return Mount(
                point: text(of: volume.f_mntonname), type: text(of: volume.f_fstypename),
                kind: volume.f_flags & UInt32(MNT_LOCAL) == 0 ? .network : nil)
        #else
            let mount = mount(of: path, flags: pathOnly)
            // Reading a folder mounts what belongs there. Its path alone does not.
            return mount?.type == "autofs" ? self.mount(of: path, flags: O_RDONLY | O_DIRECTORY) ?? mount : mount
        #endif
    }

    #if canImport(Darwin)
        private static func text<Characters>(of characters: Characters) -> String {
            withUnsafeBytes(of: characters) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
        }
    #else
        /// `O_PATH` (open(2)): needs no permission to read, waits for no server, and its close removes no lock of SQLite.
        private static let pathOnly: Int32 = 0o10_000_000

        /// Reads the id of the mount from the open file, so that bind mounts and hidden mounts have no effect.
        private static func mount(of path: String, flags: Int32) -> Mount? {
            let descriptor = open(path, flags | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            guard let info = try? String(contentsOfFile: "/proc/self/fdinfo/\(descriptor)", encoding: .utf8),
                let id = MountTable.mountID(inDescriptorInfo: info),
                let table = try? Data(contentsOf: URL(fileURLWithPath: "/proc/self/mountinfo"))
            else { return nil }
            return MountTable(String(decoding: table, as: UTF8.self)).mount(id: id)
        }
    #endif
}

/// The mounted file systems of this process, as in `/proc/self/mountinfo` (proc(5)).
struct MountTable {
    private let mounts: [Int: Mount]

    /// - Parameter text: The content of the file. Lines in another format have no effect.
    init(_ text: String) {
        let lines = text.split(separator: "\n").compactMap { line -> (Int, Mount)? in
            let fields = line.split(separator: " ")
            // The fifth field is the mount point. A variable number of optional fields ends with a hyphen.
            guard let end = fields.dropFirst(6).firstIndex(of: "-"), end + 1 < fields.count, let id = Int(fields[0])
            else { return nil }
            return (id, Mount(point: Self.unescaped(fields[4]), type: Self.unescaped(fields[end + 1])))
        }
        mounts = Dictionary(lines) { first, _ in first }
    }

    /// The mount with this id. Ids are unique. Mount points are not: a mount can hide another one at the same path.
    func mount(id: Int) -> Mount? { mounts[id] }

    /// The id of the mount of an open file.
    ///
    /// - Parameter text: The content of `/proc/self/fdinfo/` and the descriptor (proc(5)).
    static func mountID(inDescriptorInfo text: String) -> Int? {
        for line in text.split(separator: "\n") where line.hasPrefix("mnt_id:") {
            return Int(line.dropFirst("mnt_id:".count).filter { !$0.isWhitespace })
        }
        return nil
    }

    /// Replaces a backslash and three octal digits by their byte, as the kernel writes spaces, tabs, line feeds,
    /// backslashes and `#`.
    private static func unescaped(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Substring(text).utf8[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == UInt8(ascii: "\\"), digits.count == 3, let value = UInt8(String(Substring(digits)), radix: 8) {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension ServiceConfiguration {
    /// Checks that the database is on a file system of this machine.
    ///
    /// - Parameter path: The path of the database, which need not exist. The file and its folder can be on different
    ///   mounts. SQLite writes its log beside the file that a symbolic link names.
    func checkFileSystem(ofDatabase path: String) throws {
        let file = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        for place in [file, file.deletingLastPathComponent()] {
            if let problem = Mount.containing(place.path)?.problem(ofDatabase: path) {
                throw settings.error(.database, problem)
            }
        }
    }
}
