/// Names of JSON members in error messages.
package enum MemberName {
    /// Returns the name if it is short and plain, otherwise a placeholder.
    ///
    /// The caller chose the name, and it may contain a secret that belongs in a value.
    package static func shown(_ name: String) -> String { isPlain(name) ? name : "[?]" }

    /// Whether the name consists of 1 to 64 letters, digits and `. - _ : / $`.
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
