internal import Foundation

/// The Keychain's calls for the generic passwords of one service, with Security's status codes.
///
/// It is not behind `#if`, so that the decisions about status codes are tested on every system.
protocol KeychainItems: Sendable {
    /// `SecItemCopyMatching`: the item's data if the status is a success.
    func copy(_ account: String) -> (status: KeychainStatus, data: Data?)
    /// `SecItemAdd`: fails for an existing account.
    func add(_ account: String, _ data: Data) -> KeychainStatus
    /// `SecItemUpdate`: fails for a missing account.
    func update(_ account: String, _ data: Data) -> KeychainStatus
    /// `SecItemDelete`: fails for a missing account.
    func delete(_ account: String) -> KeychainStatus
}
