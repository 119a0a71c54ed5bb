/// The names of members, as refusals tell them.
package enum MemberName {
    /// The name, if it is short and plain; else a placeholder.
    ///
    /// A stranger may have chosen it, and put there what belongs into a value.
    package static func shown(_ name: String) -> String { isPlain(name) ? name : "[?]" }

    /// Whether the name looks like one of ours: 1 to 64 letters, digits and `. - _ : / $`.
    package static func isPlain(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
                    UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: "$"):
                    true
                default: false
                }
            }
    }
}
