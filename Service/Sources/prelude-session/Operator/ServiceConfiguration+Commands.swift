import SessionDomain
import SessionEgress
import SessionSQLite

extension ServiceConfiguration {
    /// Opens the service without its network for a command, runs the work, and closes the database. Events name the command
    /// line as the actor.
    ///
    /// - Parameters:
    ///   - allowsOutbound: Whether the command may call the URLs that the settings for outbound calls allow.
    ///   - opening: Whether a missing database is created.
    func withAssembly(
        keys: MasterKeyUse, opening: Opening, allowsOutbound: Bool = false,
        _ work: (ServiceAssembly) async throws -> Void
    ) async throws {
        let egress = try allowsOutbound ? makeEgressClient() : EgressClient(policy: EgressPolicy())
        do {
            let assembly = try await ServiceAssembly.open(
                self, keys: keys, opening: opening, defaultApp: nil, routes: FixedRoutes([]), egress: egress)
            do {
                try await EventContext.$current.withValue(EventContext(actor: .init(.commandLine))) {
                    try await work(assembly)
                }
            } catch {
                try await assembly.store.close()
                throw error
            }
            try await assembly.store.close()
        } catch {
            await egress.shutdown()
            throw error
        }
        await egress.shutdown()
    }
}
