import Foundation

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
