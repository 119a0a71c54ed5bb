import SessionDomain

/// The slots of a ring, added up for points, rows and the whole range.
struct ActivitySeries {
    /// What a point of a graph is about: the slot and those before it, as many as the window of the range. `nil`: the slot
    /// has no record.
    let points: [ActivityAmounts?]
    /// What a row of a table is about, with its first slot. Rows without a record are left out.
    let rows: [(first: Int, amounts: ActivityAmounts)]
    let total: ActivityAmounts
    /// The end of the newest slot. `nil`: nothing was recorded yet.
    let end: Timestamp?
    let step: Int64

    init(_ ring: ActivityRing, _ range: ActivityRange) {
        let slots = ring.slots
        points = slots.indices.map { index in
            slots[index] == nil ? nil : Self.sum(slots[max(0, index - range.window + 1)...index])
        }
        var rows: [(first: Int, amounts: ActivityAmounts)] = []
        for first in stride(from: 0, to: slots.count, by: range.row) {
            let part = slots[first..<min(first + range.row, slots.count)]
            if part.contains(where: { $0 != nil }) { rows.append((first, Self.sum(part))) }
        }
        self.rows = rows
        total = Self.sum(slots[...])
        (end, step) = (ring.end, ring.step)
    }

    private static func sum(_ slots: ArraySlice<ActivityAmounts?>) -> ActivityAmounts {
        slots.reduce(into: ActivityAmounts()) { sum, slot in if let slot { sum += slot } }
    }

    /// The time at which a slot begins; that of the slot after the last one is the end.
    func time(_ slot: Int) -> String {
        guard let end else { return "" }
        return String((end - (points.count - slot) * Int(step)).rfc3339.dropFirst(11).prefix(5))
    }
}
