import Foundation
import PreludeSessionTesting
import SessionDomain

extension ConsoleWorld {
    /// Adds a passkey for example.com to a user.
    @discardableResult
    func addPasskey(
        _ id: String, to user: String, nickname: String? = nil, aaguid: Data = Data(count: 16)
    ) async throws -> String {
        let passkey = Passkey(
            id: id, appID: world.appID, userID: user, userHandle: Data(count: 64), publicKey: Data([1]), counter: 0,
            aaguid: aaguid, relyingPartyID: "example.com", transports: [], isBackupEligible: true, isBackedUp: true,
            nickname: nickname, createdAt: clock.timestamp)
        try await service.store.perform(InsertPasskey(passkey: passkey))
        return id
    }
}

private struct InsertPasskey: Intent {
    let passkey: Passkey

    var reads: Read<Void> { Read(app: passkey.appID) }

    func decide(_: Void) -> Decision<Void> { Decision((), [.insertPasskey(passkey)]) }
}
