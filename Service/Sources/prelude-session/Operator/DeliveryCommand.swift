import ArgumentParser
import Foundation
import SessionDelivery
import SessionDomain
import SessionEgress

/// `prelude-session delivery`: tests the routes for mail and SMS.
struct DeliveryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delivery", abstract: "Test the delivery of mail and SMS.", subcommands: [Test.self])

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "test",
            abstract: "Send a test message by each route of a channel.",
            discussion: """
                Prints one line for each stage, and what to do about a failure. Without --app, the routes of the \
                configuration are tested, and no database is opened. Exits with 1 if a route fails.
                """)

        @Option(help: "A mail address, or a phone number such as +14155551234.")
        var to: String

        @Option(help: "The app whose routes are tested, and whose key signs requests to webhooks.")
        var app: AppID?

        @Option(help: "Seconds for each route, at most 30 for a mail server and 10 for a gateway.")
        var timeout = 30

        @OptionGroup var outbound: OutboundOptions
        @OptionGroup var options: DatabaseOptions

        func validate() throws {
            guard (1...30).contains(timeout) else { throw ValidationError("--timeout must be 1 to 30 seconds") }
        }

        func run() async throws {
            let recipient = try CanonicalIdentifier(typed: to, ofField: "--to")
            var works = false
            if let app {
                try await options.withService(outbound: outbound) { service in
                    let settings = try await service.apps.app(app)
                    let message = DeliveryTestMessage(to: recipient, app: settings, timeout: timeout)
                    works = await test(
                        service.deliveryRoutes.routes(for: settings, channel: message.channel), message)
                }
            } else {
                works = try await testConfigured(recipient)
            }
            if !works { throw ExitCode.failure }
        }

        private func testConfigured(_ recipient: CanonicalIdentifier) async throws -> Bool {
            let configuration = try options.shared.configuration(outbound.flags)
            let egress = try configuration.makeEgressClient()
            let message = DeliveryTestMessage(to: recipient, app: nil, timeout: timeout)
            let works: Bool
            do {
                var problems = ConfigurationProblems()
                configuration.checkDelivery(problems: &problems)
                try problems.throwIfAny()
                let builder = configuration.routeBuilder(egress: egress, environment: .live)
                let channel = message.channel
                let routes = try configuration.delivery[channel].map { route in
                    guard
                        let made = builder.route(
                            route.settings, secret: route.secret, channel: channel,
                            senderDomains: configuration.delivery.furtherSenderDomains)
                    else {
                        throw ValidationError("a webhook is called with the key of an app: add --app")
                    }
                    return made
                }
                works = await test(routes, message)
            } catch {
                await egress.shutdown()
                throw error
            }
            await egress.shutdown()
            return works
        }

        /// Sends a message by each route, and prints what happens.
        private func test(_ routes: [any MessageRoute], _ message: DeliveryTestMessage) async -> Bool {
            let name = message.channel == .email ? "e-mail" : "SMS"
            guard !routes.isEmpty else {
                print("No delivery by \(name) is configured.")
                print(
                    "Set PRELUDE_SESSION_\(message.channel.rawValue.uppercased())_ROUTE and the settings of the route.")
                return false
            }
            var works = true
            for (index, route) in routes.enumerated() {
                print("Route \(index + 1) of \(routes.count) for \(name): \(route.name)")
                let report = await RouteReport(sending: message.message(.live), by: route)
                for line in DeliveryTestLines(report).lines { print(line.escapedForTerminal) }
                if case .accepted = report.result { continue }
                works = false
            }
            return works
        }
    }
}

/// The lines that show how far a test message came: one for each stage, and what to do about a failure.
private struct DeliveryTestLines {
    let lines: [String]

    init(_ report: RouteReport) {
        var lines = report.steps.map { Self.line($0.stage, "ok", $0.detail) }
        switch report.result {
        case .accepted(let reference):
            lines.append(Self.line("result", "ok", reference.map { "accepted: \($0)" } ?? "accepted"))
        case .rejected(let failure), .failed(let failure):
            lines.append(Self.line(failure.stage, "FAILED", failure.reason))
            if let remedy = report.remedy { lines.append(Self.line("remedy", "", remedy)) }
        }
        self.lines = lines
    }

    private static func line(_ stage: SendingFailure.Stage, _ state: String, _ text: String) -> String {
        line(stage.label, state, text)
    }

    private static func line(_ label: String, _ state: String, _ text: String) -> String {
        let padded = { (text: String, width: Int) in text + String(repeating: " ", count: max(width - text.count, 0)) }
        return "  \(padded(label, 10)) \(padded(state, 6)) \(text)"
    }
}
