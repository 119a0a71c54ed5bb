internal import Foundation

/// Generic passwords of one service, by account: the calls of Security's keychain with its own status codes.
///
/// Here and not behind `#if`, so that what is decided about the codes is tested on every system.
protocol KeychainItems: Sendable {
    /// `SecItemCopyMatching`: the item's data, when the status is a success.
    func copy(_ account: String) -> (status: KeychainStatus, data: Data?)
    /// `SecItemAdd`: refuses an account that is there already.
    func add(_ account: String, _ data: Data) -> KeychainStatus
    /// `SecItemUpdate`: refuses an account that is not there.
    func update(_ account: String, _ data: Data) -> KeychainStatus
    /// `SecItemDelete`: refuses an account that is not there.
    func delete(_ account: String) -> KeychainStatus
}
