internal import Foundation

/// Texts for a function of C that takes an array of pointers. The array ends with NULL.
final class CStrings {
    private var pointers: [UnsafeMutablePointer<CChar>?]

    /// Whether no text contains NUL, which ends a text of C.
    let areWhole: Bool

    /// - Parameter texts: `nil` becomes NULL.
    init(_ texts: [String?]) {
        pointers = texts.map { $0.flatMap { strdup($0) } } + [nil]
        areWhole = zip(texts, pointers).allSatisfy { text, pointer in
            pointer.map { strlen($0) == text?.utf8.count } ?? (text == nil)
        }
    }

    deinit { for pointer in pointers { free(pointer) } }

    func with<Result>(_ body: (UnsafePointer<UnsafePointer<CChar>?>?) throws -> Result) rethrows -> Result {
        try pointers.withUnsafeBufferPointer { buffer in
            try buffer.baseAddress.map { base in
                try base.withMemoryRebound(to: UnsafePointer<CChar>?.self, capacity: buffer.count) { try body($0) }
            } ?? body(nil)
        }
    }
}
