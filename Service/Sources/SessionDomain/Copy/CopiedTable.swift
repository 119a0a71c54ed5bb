/// A table that a copy moves from one store to another, with the names that PostgreSQL has for it.
package struct CopiedTable: Sendable, Equatable {
    package struct Column: Sendable, Equatable {
        package let name: String
        package let kind: Kind
    }

    package enum Kind: Sendable, Equatable {
        /// The place among the rows of the table, from 1. Each store counts in its own way, so a copy keeps only the order.
        case place
        case text, integer, boolean, bytes
    }

    package let name: String
    package let columns: [Column]
    /// Columns that are unique together. Rows are copied and compared in their order.
    package let order: [String]

    /// - Parameters:
    ///   - place: The column that has the order of the rows, if there is one.
    ///   - texts: Names of columns, separated by spaces, as in all parameters after it.
    init(
        _ name: String, place: String = "", order: String, texts: String, integers: String = "",
        booleans: String = "",
        bytes: String = ""
    ) {
        func columns(_ names: String, _ kind: Kind) -> [Column] {
            names.split(separator: " ").map { Column(name: String($0), kind: kind) }
        }
        self.name = name
        self.columns =
            columns(place, .place) + columns(texts, .text) + columns(integers, .integer) + columns(booleans, .boolean)
            + columns(bytes, .bytes)
        self.order = order.split(separator: " ").map(String.init)
    }

    /// Whether the first column is the place of the row.
    package var hasPlace: Bool { columns.first?.kind == .place }

    /// The columns that a query reads. The place is counted.
    package var readColumns: ArraySlice<Column> { hasPlace ? columns.dropFirst() : columns[...] }
}
