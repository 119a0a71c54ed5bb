internal import Synchronization

/// A bounded memory of values that are found again and again, such as the parsed form of a text that clients repeat.
///
/// It has two generations. When the recent one is full, the earlier one is dropped and the recent one takes its place. So a
/// value that was used since the last change stays.
package final class RecentValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Generations {
        var recent: [Key: Value] = [:]
        var earlier: [Key: Value] = [:]
    }

    private let capacityOfGeneration: Int
    private let generations = Mutex(Generations())

    /// - Parameter capacity: The most values, at least 2.
    package init(capacity: Int) { capacityOfGeneration = capacity / 2 }

    package func value(for key: Key) -> Value? {
        generations.withLock { generations in
            if let value = generations.recent[key] { return value }
            guard let value = generations.earlier[key] else { return nil }
            insert(value, for: key, &generations)
            return value
        }
    }

    package func keep(_ value: Value, for key: Key) {
        generations.withLock { insert(value, for: key, &$0) }
    }

    private func insert(_ value: Value, for key: Key, _ generations: inout Generations) {
        if generations.recent.count >= capacityOfGeneration, generations.recent[key] == nil {
            generations.earlier = generations.recent
            generations.recent = [:]
        }
        generations.recent[key] = value
    }
}
