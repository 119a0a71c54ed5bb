/// Decides which traces are recorded.
///
/// The decision is made once, where the trace enters this process. A caller chooses the id of its trace, so the ratio uses
/// a random number and not the id.
package struct TraceSampling: Sendable {
    /// The part of traces that are recorded, from 0 to 1.
    package let ratio: Double
    private let random: @Sendable (Int) -> [UInt8]

    /// - Parameter random: Returns a number of random bytes.
    package init(ratio: Double, random: @escaping @Sendable (Int) -> [UInt8]) {
        self.ratio = ratio
        self.random = random
    }

    package func records(_ context: TraceContext?) -> Bool {
        switch context?.origin {
        case .local, .trusted: context?.parent.isSampled == true
        case .untrusted, nil: isChosen
        }
    }

    private var isChosen: Bool {
        if ratio >= 1 { return true }
        if ratio <= 0 { return false }
        // 53 bits are exact in a `Double`.
        return Double(Hex.joined(random(8)[...]) >> 11) / 0x1p53 < ratio
    }
}
