import Testing

@testable import prelude_session

@Suite("File systems for the database")
struct MountTests {
    // Proves: B7
    @Test(
        "A network file system is rejected with its type, its mount point and the remedy",
        arguments: [
            "nfs", "nfs4", "cifs", "smb3", "9p", "afs", "ceph", "glusterfs", "lustre", "ocfs2", "gfs2", "fuse.sshfs",
            "fuse.glusterfs", "fuse.s3fs", "fuse", "virtiofs", "vboxsf",
        ])
    func network(type: String) throws {
        let problem = try #require(Mount(point: "/data", type: type).problem(ofDatabase: "/data/db/a.sqlite"))
        for part in ["/data/db/a.sqlite is", " \(type), mounted at /data. ", "Use a local disk"] {
            #expect(problem.contains(part))
        }
    }

    @Test(
        "Disks of this machine, memory and layers of containers are allowed",
        arguments: [
            "ext4", "xfs", "btrfs", "zfs", "tmpfs", "overlay", "fuseblk", "fuse.fuse-overlayfs", "f2fs", "apfs",
            "bcachefs", "autofs", "",
        ])
    func local(type: String) {
        #expect(Mount(point: "/data", type: type).problem(ofDatabase: "/data/a.sqlite") == nil)
    }

    @Test("A mount that the system calls remote is rejected, whatever its type is")
    func remote() {
        #expect(Mount(point: "/data", type: "new", kind: .network).problem(ofDatabase: "/data/a.sqlite") != nil)
    }

    private static let table = MountTable(
        """
        22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
        23 22 0:5 / /data rw shared:9 master:1 - nfs4 server:/export rw
        24 22 0:7 / /with\\040space\\011\\134\\012\\043 rw - cifs //server/share rw
        25 22 0:5 /folder /bound rw,relatime shared:2 - nfs4 server:/export rw
        26 22 0:8 / /twice rw - nfs server:/a rw
        27 26 0:9 / /twice rw - tmpfs tmpfs rw
        28 22 0:10 / /caf\\303\\251/\\9\\400 rw - fuse.a\\040b source rw
        29 22 0:11 / /- rw - xfs /dev/sdb1 rw
        30 22 0:12 / /cut rw -
        an unknown line - ext4
        """)

    // Proves: B7
    @Test(
        "A mount is found by its id, also if another one hides it",
        arguments: [
            (22, "/", "ext4"), (23, "/data", "nfs4"), (24, "/with space\t\\\n#", "cifs"), (25, "/bound", "nfs4"),
            (26, "/twice", "nfs"), (27, "/twice", "tmpfs"), (28, "/caf\u{e9}/\\9\\400", "fuse.a b"), (29, "/-", "xfs"),
        ])
    func mounts(id: Int, point: String, type: String) {
        #expect(Self.table.mount(id: id) == Mount(point: point, type: type))
    }

    @Test("A line in another format is no mount", arguments: [0, 1, 21, 30])
    func noMount(id: Int) {
        #expect(Self.table.mount(id: id) == nil)
        #expect(MountTable("").mount(id: id) == nil)
    }

    @Test("The id of a mount is read from the information of an open file")
    func descriptorInfo() {
        let info = "pos:\t0\nflags:\t012100000\nmnt_id:\t27\nino:\t2\n"
        #expect(MountTable.mountID(inDescriptorInfo: info) == 27)
        #expect(MountTable.mountID(inDescriptorInfo: "pos:\t0\nino:\t2\n") == nil)
        #expect(MountTable.mountID(inDescriptorInfo: "mnt_id:\tx\n") == nil)
    }

    #if os(Linux)
        @Test("The system's own mounts are found by a path below them")
        func system() {
            #expect(Mount.containing("/proc/self/status") == Mount(point: "/proc", type: "proc"))
            #expect(Mount.containing("/proc/no such file") == nil)
        }
    #endif
}
