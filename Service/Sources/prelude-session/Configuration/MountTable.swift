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
