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
