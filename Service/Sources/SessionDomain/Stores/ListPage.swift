/// A place in a list that is sorted by a time and an id, newest first. The list continues after it.
///
/// It stays valid when the element at the place is deleted or moves.
package struct ListPlace: Sendable, Equatable {
    package let time: Timestamp
    package let id: String

    package init(time: Timestamp, id: String) {
        self.time = time
        self.id = id
    }
}

/// Where a page of a list begins.
package enum PageStart: Sendable, Equatable {
    /// After a number of elements.
    case offset(Int)
    case after(ListPlace)
}

/// A page of a list.
package struct ListPage<Element: Sendable>: Sendable {
    package let elements: [Element]
    /// The number of elements of the whole list. Only pages by offset have it, because a page after a place does not count.
    package let total: Int?
    /// Where the next page begins. `nil`: this is the last page.
    package let next: ListPlace?

    /// A page that was read by its offset.
    init(_ elements: [Element], total: Int, offset: Int, place: (Element) -> ListPlace) {
        self.elements = elements
        self.total = total
        next = offset + elements.count < total ? elements.last.map(place) : nil
    }

    /// A page after a place.
    ///
    /// - Parameter found: One element more than the page may have, if there is one.
    init(_ found: [Element], limit: Int, place: (Element) -> ListPlace) {
        elements = Array(found.prefix(limit))
        total = nil
        next = found.count > limit ? elements.last.map(place) : nil
    }
}

/// The limits of pages.
package enum PageLimit {
    /// Clients with numbers of 32 bits can name every place.
    package static let maximumOffset = Int(Int32.max)

    /// - Throws: `Refusal.invalidPaginationLimit` or `.invalidPaginationOffset`.
    static func check(_ limit: Int, _ start: PageStart) throws(Refusal) {
        guard (1...100).contains(limit) else { throw .invalidPaginationLimit }
        guard case .offset(let offset) = start else { return }
        guard (0...maximumOffset).contains(offset) else { throw .invalidPaginationOffset(maximum: maximumOffset) }
    }
}
