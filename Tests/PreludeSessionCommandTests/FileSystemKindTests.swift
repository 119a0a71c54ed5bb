import Testing

@testable import prelude_session

@Suite("File systems for the database")
struct FileSystemKindTests {
    @Test(
        "A network file system is rejected with its type and the remedy",
        arguments: [
            "nfs", "nfs4", "cifs", "smb3", "9p", "afs", "ceph", "glusterfs", "lustre", "ocfs2", "gfs2", "fuse.sshfs",
            "fuse.glusterfs", "fuse.s3fs", "fuse", "virtiofs", "vboxsf",
        ])
    func network(type: String) throws {
        let problem = try #require(FileSystemKind(type: type).problem(ofDatabase: "/data/a.sqlite"))
        #expect(problem.contains("/data/a.sqlite") && problem.contains("(\(type))") && problem.contains("local disk"))
    }

    @Test(
        "Disks of this machine, memory and layers of containers are allowed",
        arguments: ["ext4", "xfs", "btrfs", "zfs", "tmpfs", "overlay", "fuseblk", "f2fs", "apfs", "bcachefs", ""])
    func local(type: String) {
        #expect(FileSystemKind(type: type).problem(ofDatabase: "/data/a.sqlite") == nil)
    }

    private static let table = """
        22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
        23 22 0:5 / /data rw shared:9 master:1 - nfs4 server:/export rw
        24 23 0:6 / /data/local rw - xfs /dev/sdb1 rw
        25 22 0:7 / /with\\040space rw - cifs //server/share rw
        26 22 0:8 / /twice rw - nfs server:/a rw
        27 22 0:9 / /twice rw - tmpfs tmpfs rw
        an unknown line
        """

    @Test(
        "The mount with the longest path counts, and of two at the same path the last one",
        arguments: [
            ("/", "ext4"), ("/database", "ext4"), ("/data", "nfs4"), ("/data/x", "nfs4"), ("/data/local/x", "xfs"),
            ("/data/localx", "nfs4"), ("/with space/x", "cifs"), ("/twice/x", "tmpfs"),
        ])
    func mounts(path: String, type: String) {
        #expect(MountTable(Self.table).type(of: path) == type)
    }

    @Test("Without a table, nothing is known")
    func empty() {
        #expect(MountTable("").type(of: "/") == nil)
    }
}
