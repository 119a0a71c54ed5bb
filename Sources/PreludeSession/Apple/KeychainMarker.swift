internal import Foundation

/// An item that shows whether the Keychain shows items at all.
///
/// A process that the system starts before the first unlock since the device's start ("prewarmed") can get "not found" for
/// items that exist. UIKit's `isProtectedDataAvailable` is not available to extensions, and a file would show the state of
/// another service than the Keychain. The marker has the class, the service and the access group of the records. So the
/// Keychain shows or hides all of them. It is added by the first look-up of a missing record, and never deleted. Nothing can
/// be added before the first unlock.
struct KeychainMarker: Sendable {
    let items: any KeychainItems

    /// No record has this name: the names of records begin with a host and contain a dot.
    static let account = "protected-data-is-available"

    /// Returns when the Keychain shows its items. They stay visible until the device restarts.
    ///
    /// - Throws: `.storageUnavailable` when it may hide items.
    func check(_ verb: String) throws {
        guard try !isVisible(verb) else { return }
        let added = items.add(Self.account, Data([1]))
        // A duplicate is either hidden, or another process has just added it.
        guard added == .success || added == .duplicateItem else { throw added.failure(verb) }
        guard try isVisible(verb) else { throw KeychainStatus.hiddenItems(verb) }
    }

    private func isVisible(_ verb: String) throws -> Bool {
        switch items.copy(Self.account).status {
        case .success: return true
        case .itemNotFound: return false
        case let status: throw status.failure(verb)
        }
    }
}
