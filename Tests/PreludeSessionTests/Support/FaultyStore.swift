import Foundation
import PreludeSession

/// A credential store whose reads or writes tests can make fail, as on a locked device.
actor FaultyStore: PreludeCredentialStore {
    /// `growth` is a full disk: records cannot be written, but deleted. `locked` is a device that an unlock repairs.
    enum Refusal: Sendable { case nothing, reads, writes, growth, locked }

    /// A hold stops a caller after its read, before its write or after its write.
    enum Use: Sendable { case read, write, written }

    /// A caller that is stopped while it uses the store.
    struct Hold: Sendable {
        let arrived = Gate()
        let released = Gate()
    }

    private let inner = PreludeInMemoryCredentialStore()
    private var refusal = Refusal.nothing

    func refuse(_ what: Refusal) { refusal = what }

    private var holds: [(use: Use, name: String, hold: Hold)] = []

    /// Stops the next caller that uses a record, such as `.session`, until the hold is released.
    func hold(_ use: Use, _ name: String) -> Hold {
        let hold = Hold()
        holds.append((use, ClientFixture.name + name, hold))
        return hold
    }

    private func pause(_ use: Use, _ name: String) async {
        guard let index = holds.firstIndex(where: { $0.use == use && $0.name == name }) else { return }
        let hold = holds.remove(at: index).hold
        await hold.arrived.open()
        await hold.released.wait()
    }

    private func check(_ what: Refusal) throws {
        if refusal == what { throw PreludeSessionError.storageUnavailable("refused by the test") }
        if refusal == .locked { throw PreludeSessionError.deviceLocked("locked by the test") }
    }

    func read(_ name: String) async throws -> Data? {
        try check(.reads)
        let data = await inner.read(name)
        await pause(.read, name)
        return data
    }

    func write(_ data: Data, to name: String) async throws {
        try check(.writes)
        try check(.growth)
        await pause(.write, name)
        await inner.write(data, to: name)
        await pause(.written, name)
    }

    func delete(_ name: String) async throws {
        try check(.writes)
        await inner.delete(name)
    }

    nonisolated func withLock<Answer: Sendable>(
        _ name: String, _ work: @Sendable () async throws -> Answer
    ) async throws -> Answer {
        try await inner.withLock(name, work)
    }
}
