/// What must hold in each state.
final class Invariants {
    enum Rule: String {
        case stays = "Without a thief, no device is signed out"
        case keepsAnswers = "Without a thief, no answered rotation is lost"
        case renews = "Without a thief, a refresh without faults succeeds"
        case ends = "A refresh without faults has a definite end by the next nonce window: new tokens or a sign-out"
        case oneHolder = "Two holders never both complete two rotations after the copy"
        case oneTurn = "After the database was set back, two holders never take turns"
        case oneChain = "Without attempt ids, a holder that is two rotations behind gets no token and finds the copy"
    }

    private struct Input: Hashable {
        let row: RowID
        let store: StoredRecord
        let windows: Int
    }

    private enum End {
        case renewed, signedOut, none
    }

    private let actors: Actors
    private var ends: [Input: End] = [:]

    init(_ actors: Actors) { self.actors = actors }

    /// Whether nothing more can go wrong.
    func isEnd(_ world: World) -> Bool {
        world.store == nil || (actors.service.isRevoked(world.row) && world.backup == nil)
    }

    func violation(from previous: World, to world: World) -> Rule? {
        guard let thief = world.thief else { return violationWithoutThief(from: previous, to: world) }
        if end(of: world, windows: 1) == .none { return .ends }
        guard actors.sendsAttempts else { return isOneChain(world, thief) ? nil : .oneChain }
        // The backup knows neither holder's last rotations. So each of them may go on until the other one does.
        if thief.isRestored { return thief.turns > 3 ? .oneTurn : nil }
        return thief.rotations > 1 && thief.rotationsOfOwner > 1 ? .oneHolder : nil
    }

    /// Without attempt ids two holders share each token, because the service cannot tell the second one from a repetition. So
    /// they never have different tokens that are valid.
    private func isOneChain(_ world: World, _ thief: Thief) -> Bool {
        let leftBehind = actors.service.generation(of: world.row) - 2
        if thief.record.generation <= leftBehind, !actors.tokensOfThief(world).isEmpty { return false }
        // With a refresh in progress, the answer may be on its way.
        guard let store = world.store, store.generation <= leftBehind, world.refresh == nil else { return true }
        return end(of: world, windows: 1) == .signedOut
    }

    private func violationWithoutThief(from previous: World, to world: World) -> Rule? {
        guard let store = world.store, !actors.service.isRevoked(world.row) else { return .stays }
        if let before = previous.store, store.generation < before.generation { return .keepsAnswers }
        return end(of: world) == .renewed ? nil : .renews
    }

    /// How a refresh ends if all else stops and there are no more faults.
    ///
    /// - Parameter windows: How many nonce windows may begin meanwhile.
    private func end(of world: World, windows: Int = 0) -> End {
        guard let store = world.store else { return .signedOut }
        let input = Input(row: world.row, store: store, windows: windows)
        if let known = ends[input] { return known }
        var world = World(row: world.row)
        world.store = store
        var end = End.none
        // A refresh sends at most two requests, and the next one may have to replace the attempt id.
        for round in 0..<6 * (windows + 1) where end == .none {
            if round > 0, round % 6 == 0 { actors.passWindow(&world) }
            if world.refresh == nil, let stored = world.store {
                actors.begin(stored, &world)
            }
            guard let index = world.network.awaited else { break }
            actors.deliver(index, &world)
            guard let answer = world.network[index].answer else { break }
            actors.receive(answer, of: index, &world)
            world.network = world.refresh == nil ? Network() : world.network
            if let now = world.store {
                if now.generation > store.generation { end = .renewed }
            } else {
                end = .signedOut
            }
        }
        ends[input] = end
        return end
    }
}
