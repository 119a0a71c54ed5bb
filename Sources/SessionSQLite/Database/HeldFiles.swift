internal import Foundation
internal import SessionDomain

/// Descriptors that keep files and their numbers, and other descriptors of the same files.
final class HeldFiles {
    private let descriptors: [Int32]
    private let identities: [FileIdentity]

    /// - Parameter descriptors: They are closed with this object.
    /// - Throws: `StoreError.unavailable` if one of them could not be opened just now.
    init(_ descriptors: [Int32]) throws(StoreError) {
        let code = errno
        self.descriptors = descriptors.filter { $0 >= 0 }
        identities = self.descriptors.compactMap { FileIdentity(descriptor: $0) }
        guard identities.count == descriptors.count else {
            throw .unavailable("a log that must be written again cannot be opened: \(String(cString: strerror(code)))")
        }
    }

    deinit { for descriptor in descriptors { close(descriptor) } }

    /// Whether a descriptor, which is not one of these, means one of the files.
    func means(_ descriptor: Int32) -> Bool {
        guard !descriptors.contains(descriptor), let identity = FileIdentity(descriptor: descriptor) else {
            return false
        }
        return identities.contains(identity)
    }

    /// Whether it means the first file.
    func meansFirst(_ descriptor: Int32) -> Bool {
        !descriptors.contains(descriptor) && FileIdentity(descriptor: descriptor) == identities.first
    }
}
