/// An attempt id, as a number.
struct Attempt: Hashable {
    let number: UInt8

    static let none = Attempt(number: 0)

    /// An id of the device.
    ///
    /// - Parameter version: How many ids the device made for the same token before.
    static func device(_ generation: UInt8, version: UInt8 = 0) -> Attempt {
        Attempt(number: 1 + generation * 4 + version)
    }

    /// An id of the thief for a token.
    static func thief(_ generation: UInt8) -> Attempt { Attempt(number: 128 + generation) }

    /// The next id of the device for the same token. The fourth is the last.
    var next: Attempt {
        (number - 1) % 4 < 3 ? Attempt(number: number + 1) : self
    }
}

extension Attempt: CustomStringConvertible {
    var description: String {
        switch number {
        case 0: "without an attempt id"
        case 128...: "with the thief's attempt id \(number - 128)"
        default: "with attempt id \((number - 1) / 4)" + (number % 4 == 1 ? "" : ".\((number - 1) % 4)")
        }
    }
}
