internal import Synchronization

/// Bounds the exports that run at the same time on this node. Each reads events as fast as it can, and must leave the database
/// to sign-ins and refreshes.
@available(service, *)
final class ExportPlaces: Sendable {
    static let maximum = 4
    /// Seconds after which a refused export is worth another try.
    private static let patience = 10

    private let taken = Mutex(0)

    /// - Throws: `Refusal.overloaded` if all places are taken.
    func take() throws(Refusal) -> Place {
        let isFree = taken.withLock { taken in
            guard taken < Self.maximum else { return false }
            taken += 1
            return true
        }
        guard isFree else { throw .overloaded(retryAfter: Self.patience) }
        return Place(self)
    }

    /// The place of one export. It is free again when nothing reads the export any more.
    final class Place: Sendable {
        private let places: ExportPlaces

        fileprivate init(_ places: ExportPlaces) { self.places = places }

        deinit { places.taken.withLock { $0 -= 1 } }
    }
}
