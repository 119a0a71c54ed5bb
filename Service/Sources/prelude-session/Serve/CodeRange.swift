/// The part of a program's code that huge pages can hold: from a multiple of their size to another one.
struct CodeRange: Equatable {
    let start: UInt
    let length: Int

    /// Finds the code that contains an address.
    ///
    /// - Parameters:
    ///   - maps: The content of `/proc/self/maps` (proc(5)).
    ///   - address: The address of a function.
    ///   - hot: The part of the code that is worth huge pages. `nil`: all of it.
    ///   - page: The size of a huge page in bytes, a power of two.
    /// - Returns: `nil` if the address is in no code that can only be read and executed, or if the code fills no huge page.
    init?(maps: String, around address: UInt, hot: Range<UInt>? = nil, page: UInt) {
        guard page > 0, page & (page - 1) == 0 else { return nil }
        for line in maps.split(separator: "\n") {
            let fields = line.split(separator: " ", maxSplits: 2)
            guard fields.count == 3, fields[1] == "r-xp" else { continue }
            let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard bounds.count == 2, bounds[0] <= address, address < bounds[1] else { continue }
            var (start, end) = ((bounds[0] + page - 1) & ~(page - 1), bounds[1] & ~(page - 1))
            if let hot {
                start = max(start, hot.lowerBound & ~(page - 1))
                end = min(end, (hot.upperBound + page - 1) & ~(page - 1))
            }
            guard start < end else { return nil }
            self.start = start
            length = Int(end - start)
            return
        }
        return nil
    }
}
