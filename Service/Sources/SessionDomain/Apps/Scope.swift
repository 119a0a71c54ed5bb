/// The syntax of a scope: `^[a-zA-Z0-9.\-_:]+$`, at most 128 characters.
package enum Scope {
    package static func isWellFormed(_ scope: String) -> Bool {
        (1...128).contains(scope.utf8.count)
            && scope.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
                    UInt8(ascii: ":"):
                    true
                default: false
                }
            }
    }
}
