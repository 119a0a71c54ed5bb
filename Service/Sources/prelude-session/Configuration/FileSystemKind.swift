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
