/// Phone numbers, again and again in the same order. No message leaves the machine.
final class NumberPool {
    private let numbers: (Int) -> String
    private var count = 0

    /// - Parameters:
    ///   - connection: Each connection has its own numbers.
    ///   - size: At most 10 000.
    init(connection: Int, size: Int) {
        numbers = { "+1415\(2_000_000 + connection * 10_000 + $0 % size)" }
    }

    /// One number.
    init(_ number: String) { numbers = { _ in number } }

    func next() -> String {
        defer { count += 1 }
        return numbers(count)
    }
}
