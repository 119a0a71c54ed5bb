/// Writes a table in the format of RFC 4180.
enum CSV {
    static func row(_ cells: [String]) -> String { cells.map(cell).joined(separator: ",") + "\r\n" }

    /// Spreadsheets calculate a cell that begins with one of these.
    private static let formula = Set("=+-@＝＋－＠".unicodeScalars)
    /// Behind these, a spreadsheet with other separators than the comma begins a cell.
    private static let separators = Set(";|\t\r\n".unicodeScalars)
    /// Spreadsheets may skip these at the begin of a cell.
    private static let skipped = Set("\" \u{A0}\u{200B}\u{FEFF}".unicodeScalars)

    /// A cell in quotes. A user can choose texts in it, such as the user agent. An apostrophe makes what could be a formula a
    /// text.
    static func cell(_ text: String) -> String {
        var (cell, begins) = ("\"", true)
        for scalar in text.unicodeScalars {
            if begins, formula.contains(scalar) || (cell == "\"" && separators.contains(scalar)) { cell += "'" }
            cell.unicodeScalars.append(scalar)
            if scalar == "\"" { cell += "\"" }
            begins = separators.contains(scalar) || (begins && skipped.contains(scalar))
        }
        return cell + "\""
    }
}
