import ArgumentParser
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL

/// `prelude-session health`: asks the running service of a configuration whether it works, as containers and scripts do.
struct HealthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Ask the running service whether it works.",
        discussion: """
            Takes the flags, the environment and the file of `serve`, and asks each of its listeners on this machine for \
            /readyz. The exit code is 0 if all answer within two seconds that they are ready, and 1 otherwise.
            """)

    @OptionGroup var options: ServeOptions

    func run() async throws {
        let configuration = try ServiceConfiguration.load(
            flags: options.flags, file: options.shared.config, environment: ProcessInfo.processInfo.environment)
        var settings = HTTPClient.Configuration()
        // The connection is to this machine, whose certificate is for the name of the proxy or of the public URL.
        settings.tlsConfiguration = .makeClientConfiguration()
        settings.tlsConfiguration?.certificateVerification = .none
        let client = HTTPClient(configuration: settings)
        var isReady = true
        for (name, url) in configuration.healthURLs {
            let (answer, ready) = await Self.ask(url, with: client)
            print("\(name.padding(toLength: 12, withPad: " ", startingAt: 0))  \(answer.escapedForTerminal)")
            isReady = isReady && ready
        }
        try await client.shutdown()
        if !isReady { throw ExitCode.failure }
    }

    /// - Returns: What a person reads, and whether the service is ready.
    private static func ask(_ url: String, with client: HTTPClient) async -> (answer: String, isReady: Bool) {
        do {
            let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(2))
            let body = String(buffer: try await response.body.collect(upTo: 65_536))
            return ("\(url): \(response.status.code) \(body)", response.status == .ok)
        } catch {
            return ("\(url): no answer (\(error))", false)
        }
    }
}

extension ServiceConfiguration {
    /// The readiness of each listener, by an address of this machine.
    var healthURLs: [(name: String, url: String)] {
        let listeners = [("apps", host, port)] + (managementListener.map { [("management", $0.host, $0.port)] } ?? [])
        return listeners.map { name, host, port in
            (name, "\(tls == nil ? "http" : "https")://\(Self.reachable(host)):\(port)/readyz")
        }
    }

    /// An address of this machine for one that means all of its addresses. An IPv6 address is in brackets (RFC 3986 §3.2.2).
    private static func reachable(_ host: String) -> String {
        switch host {
        case "0.0.0.0": "127.0.0.1"
        case "::": "[::1]"
        default: host.contains(":") ? "[\(host)]" : host
        }
    }
}
