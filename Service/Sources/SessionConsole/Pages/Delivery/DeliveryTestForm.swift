import SessionDomain

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
        routes.appForm("/delivery/:channel/test", on: DeliveryPage.show) { visit, form in
            let channel = try visit.channel
            let recipient = try CanonicalIdentifier(
                type: channel.identifierType.rawValue, value: try form.required("identifier"))
            let attempts = try await visit.service.deliveryTests.test(to: recipient, app: visit.app.id)
            return .page(
                DeliveryPage.page(
                    visit,
                    tested: Result(
                        channel: channel, recipient: recipient.value, attempts: attempts,
                        showsDetails: visit.visit.isForAllApps || visit.app.delivery?[channel].isEmpty == false)))
        }
    }

    static func form(_ channel: OTPLoginConfig.Channel, _ visit: AppVisit) -> HTML {
        FormView.form(
            visit.visit, visit.path / "delivery" / channel.rawValue / "test", id: "test-" + channel.rawValue,
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
                            if let failure, result.showsDetails { H.bdi { Show.sentence(failure.reason) } }
                        }
                        if let remedy = attempt.report.remedy, result.showsDetails { H.p { "Remedy: " + remedy + "." } }
                    },
                    TableView.html(
                        "How far the message to \(result.recipient) came by route \(index + 1)",
                        columns: ["Stage", "Result", "Details"],
                        rows(attempt.report) { Show.text(result.showsDetails ? $0 : hidden) }),
                ])
            })
    }

    private static let hidden = "This route belongs to the service. An operator for all apps sees more."

    private static func rows(_ report: RouteReport, _ detail: (String) -> HTML) -> [TableView.Row] {
        let passed = report.steps.map { step in
            TableView.Row(HTML(escaping: step.stage.label), Show.badge("passed", "good"), detail(step.detail))
        }
        switch report.result {
        case .accepted(let reference):
            return passed + [
                TableView.Row(
                    HTML(escaping: "result"), Show.badge("accepted", "good"),
                    detail(reference ?? "The route has given no id to the message."))
            ]
        case .rejected(let failure), .failed(let failure):
            return passed + [
                TableView.Row(
                    HTML(escaping: failure.stage.label), Show.badge("failed", "bad"), detail(failure.reason))
            ]
        }
    }
}
