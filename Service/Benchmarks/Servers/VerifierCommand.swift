import ArgumentParser
import Hummingbird
import PreludeSessionHummingbird
import PreludeSessionVerifier

/// A backend that only verifies: the access token and the proof of each request, with the middleware of the product.
struct VerifierCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verifier", abstract: "Serve requests with an access token that is bound to a key.")

    static let path = "/notes"

    @Option(help: "The port on 127.0.0.1.")
    var port: Int

    @Option(help: "The port of the service.")
    var service: Int

    func run() async throws {
        let verifier = try SessionVerifier(
            service: "http://localhost:\(service)", audience: ServiceProcess.app,
            resources: ["http://localhost:\(port)"])
        try await verifier.loadKeys()
        let router = Router(context: VerifiedContext.self)
        router.add(middleware: VerifierMiddleware(verifier))
        router.get(RouterPath(Self.path)) { _, context in try context.requireUser().userID }
        try await Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port))
        ).runService()
    }
}
