/// The amounts of the last slots of time, oldest first, in memory of a fixed size.
package struct ActivityRing: Sendable {
    /// Seconds of a slot.
    package let step: Int64
    /// How many slots are kept.
    package let capacity: Int

    /// The number of a slot is its beginning in seconds since 1970, divided by the step. A slot without a record has none.
    private var numbers: [Int64] = []
    private var values: [UInt32] = []

    package init(step: Int64, capacity: Int) {
        self.step = step
        self.capacity = capacity
        numbers.reserveCapacity(capacity + 1)
        values.reserveCapacity((capacity + 1) * ActivityAmounts.width)
    }

    /// An empty ring for the last hour.
    static var hour: ActivityRing { ActivityRing(step: ActivityRecorder.interval, capacity: 360) }

    /// Adds what happened in a slot.
    ///
    /// A clock that was set back by less than a slot adds to the newest one. Otherwise the ring begins again, because its
    /// times were wrong.
    ///
    /// - Parameter seconds: A time in the slot, in seconds since 1970.
    package mutating func add(_ amounts: ActivityAmounts, at seconds: Int64) {
        let number = seconds / step
        if let newest = numbers.last, number <= newest, number >= newest - 1 {
            var sum = amounts
            sum += ActivityAmounts(packed: values.suffix(ActivityAmounts.width))
            values.replaceSubrange((values.count - ActivityAmounts.width)..., with: sum.packed)
            return
        }
        if let newest = numbers.last, number < newest {
            numbers.removeAll(keepingCapacity: true)
            values.removeAll(keepingCapacity: true)
        }
        numbers.append(number)
        values += amounts.packed
        let old = numbers.prefix { $0 <= number - Int64(capacity) }.count
        numbers.removeFirst(old)
        values.removeFirst(old * ActivityAmounts.width)
    }

    /// As many slots as the ring has, up to the newest one. `nil`: nothing was recorded in the slot.
    package var slots: [ActivityAmounts?] {
        var slots = [ActivityAmounts?](repeating: nil, count: capacity)
        guard let newest = numbers.last else { return slots }
        for (index, number) in numbers.enumerated() {
            let start = index * ActivityAmounts.width
            slots[capacity - 1 - Int(newest - number)] = ActivityAmounts(
                packed: values[start..<(start + ActivityAmounts.width)])
        }
        return slots
    }

    /// The end of the newest slot. `nil`: the ring is empty.
    package var end: Timestamp? { numbers.last.map { Timestamp(seconds: ($0 + 1) * step) } }
}
