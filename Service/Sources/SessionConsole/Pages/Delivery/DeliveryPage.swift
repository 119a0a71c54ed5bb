import SessionDomain

/// By which routes the mails and SMS of an app leave the service, and a test of them.
enum DeliveryPage {
    static func add(to routes: ConsoleRoutes) {
        routes.appPage("/delivery", show)
        RoutePage.add(to: routes)
        DeliveryTestForm.add(to: routes)
    }

    @Sendable static func show(_ console: ConsoleAppContext) async throws -> Page { page(console, tested: nil) }

    /// - Parameter tested: The result of a test that was just made.
    static func page(_ console: ConsoleAppContext, tested: DeliveryTestForm.Result?) -> Page {
        Page("Delivery", app: console.app, section: .delivery) {
            for channel in OTPLoginConfig.Channel.allCases.reversed() {
                if let tested, tested.channel == channel { DeliveryTestForm.html(tested) }
                routes(of: channel, console)
            }
        }
    }

    private static func routes(of channel: OTPLoginConfig.Channel, _ console: ConsoleAppContext) -> HTML {
        let own = console.app.delivery?[channel] ?? []
        let used = console.service.deliveryRoutes.routes(for: console.app, channel: channel)
        return Format.card(channel.title) {
            if own.isEmpty {
                H.p { ofService(used.map(\.name), channel, hasMailbox: console.context.mailbox != nil) }
            } else {
                H.ol(.class("bullets")) {
                    for (index, route) in own.enumerated() { H.li { summary(route, index, channel, console) } }
                }
            }
            if console.context.canWrite, own.count < DeliveryConfig.maximumRoutes {
                H.div(.class("actions")) {
                    Link.button(
                        own.isEmpty
                            ? "Give the app a route for \(channel.noun)" : "Add a second route for \(channel.noun)",
                        console.routePath(channel, own.count))
                }
            }
            if console.context.canWrite, !used.isEmpty { DeliveryTestForm.form(channel, console) }
        }
    }

    private static func ofService(
        _ names: [String], _ channel: OTPLoginConfig.Channel, hasMailbox: Bool
    ) -> String {
        guard !names.isEmpty else {
            return "Neither this app nor the service has a route for \(channel.noun), "
                + (hasMailbox
                    ? "so messages go to the mailbox of the development mode." : "so no message can be sent by it.")
        }
        return "The app uses the routes of the service: \(names.joined(separator: ", then "))."
    }

    private static func summary(
        _ route: DeliveryConfig.Route, _ index: Int, _ channel: OTPLoginConfig.Channel, _ console: ConsoleAppContext
    ) -> HTML {
        HTML(joining: [
            H.strong { route.settings.kind.title },
            H.span { H.bdi { route.settings.destination.map { " to " + $0 } ?? "" } },
            H.span { H.bdi { route.settings.from.map { " from " + $0 } ?? "" } },
            H.span(.class("hint")) {
                index == 0 ? " – tried first" : " – tried when the first one fails"
                route.settings.kind == .webhook ? "" : route.sealedSecret == nil ? ", no secret" : ", secret is set"
            },
            console.context.canWrite
                ? H.div(.class("actions")) {
                    Link.button(
                        "Change route \(index + 1) for \(channel.noun)", console.routePath(channel, index), "small")
                    Link.button(
                        "Remove route \(index + 1) for \(channel.noun)", console.routePath(channel, index) / "remove",
                        "small danger")
                } : .empty,
        ])
    }
}

extension OTPLoginConfig.Channel {
    var title: String { self == .email ? "E-mail" : "SMS" }
    var noun: String { self == .email ? "e-mail" : "SMS" }
}

extension RouteSettings.Kind {
    var title: String {
        switch self {
        case .smtp: "Mail server"
        case .webhook: "Your backend"
        case .twilio: "Twilio"
        case .vonage: "Vonage"
        case .prelude: "Prelude"
        }
    }
}

extension RouteSettings {
    /// Where messages go, in short.
    fileprivate var destination: String? {
        host.map { [$0, port.map { String($0) }].compactMap(\.self).joined(separator: ":") } ?? url
    }
}

extension ConsoleAppContext {
    /// - Parameter index: The place of the route in its channel.
    func routePath(_ channel: OTPLoginConfig.Channel, _ index: Int) -> ConsolePath {
        path / "delivery" / channel.rawValue / String(index + 1)
    }
}

/// Sends a test message by the routes of a channel, and shows how far it came by each.
enum DeliveryTestForm {
    struct Result {
        let channel: OTPLoginConfig.Channel
        let recipient: String
        let attempts: [DeliveryTester.Attempt]
        /// Whether the details are shown. An operator of one app learns no account, host or address of the service's own routes.
        let showsDetails: Bool
    }

    static func add(to routes: ConsoleRoutes) {
        routes.appForm("/delivery/:channel/test", on: DeliveryPage.show) { console, form in
            let channel = try console.channel
            let recipient = try CanonicalIdentifier(
                type: channel.identifierType.rawValue, value: try form.required("identifier"))
            let attempts = try await console.service.deliveryTests.test(to: recipient, app: console.app.id)
            return .page(
                DeliveryPage.page(
                    console,
                    tested: Result(
                        channel: channel, recipient: recipient.value, attempts: attempts,
                        showsDetails: console.context.isForAllApps || console.app.delivery?[channel].isEmpty == false)))
        }
    }

    static func form(_ channel: OTPLoginConfig.Channel, _ console: ConsoleAppContext) -> HTML {
        FormView.form(
            console.context, console.path / "delivery" / channel.rawValue / "test", id: "test-" + channel.rawValue,
            submit: "Send a test message by \(channel.noun)", style: ""
        ) { form in
            form.text(
                "identifier", channel == .email ? "Your e-mail address" : "Your phone number", nil,
                hint: "The message goes by each route. The code in it opens nothing.", isRequired: true)
        }
    }

    static func html(_ result: Result) -> HTML {
        HTML(
            joining: result.attempts.enumerated().map { index, attempt in
                let failure = attempt.report.result.failure
                return HTML(joining: [
                    H.div(.class(failure == nil ? "message" : "message bad"), .role("status")) {
                        H.p {
                            H.strong {
                                failure == nil
                                    ? "Route \(index + 1), \(attempt.route), has accepted the test message. "
                                    : "Route \(index + 1), \(attempt.route), has not accepted the test message. "
                            }
                            if let failure, result.showsDetails { H.bdi { Format.sentence(failure.reason) } }
                        }
                        if let remedy = attempt.report.remedy, result.showsDetails { H.p { "Remedy: " + remedy + "." } }
                    },
                    TableView.html(
                        "How far the message to \(result.recipient) came by route \(index + 1)",
                        columns: ["Stage", "Result", "Details"],
                        rows(attempt.report) { Format.text(result.showsDetails ? $0 : hidden) }),
                ])
            })
    }

    private static let hidden = "This route belongs to the service. An operator for all apps sees more."

    private static func rows(_ report: RouteReport, _ detail: (String) -> HTML) -> [TableView.Row] {
        let passed = report.steps.map { step in
            TableView.Row(HTML(escaping: step.stage.label), Format.badge("passed", "good"), detail(step.detail))
        }
        switch report.result {
        case .accepted(let reference):
            return passed + [
                TableView.Row(
                    HTML(escaping: "result"), Format.badge("accepted", "good"),
                    detail(reference ?? "The route has given no id to the message."))
            ]
        case .rejected(let failure), .failed(let failure):
            return passed + [
                TableView.Row(
                    HTML(escaping: failure.stage.label), Format.badge("failed", "bad"), detail(failure.reason))
            ]
        }
    }
}
