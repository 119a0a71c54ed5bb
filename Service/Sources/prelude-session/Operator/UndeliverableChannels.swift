import Foundation
import SessionDomain

/// The OTP logins of an app whose codes cannot be sent, because no delivery is configured.
struct UndeliverableChannels {
    let channels: [OTPLoginConfig.Channel]

    init(of app: App, routes: DeliveryRoutes) {
        channels = OTPLoginConfig.Channel.allCases.filter { channel in
            app.otpLogins.contains { $0.channel == channel } && routes.routes(for: app, channel: channel).isEmpty
        }
    }

    /// Writes to standard error, because programs read standard output.
    func warn() {
        for channel in channels {
            let name = channel == .email ? "e-mail" : "SMS"
            let text = """
                Warning: no delivery by \(name) is configured, so codes by \(name) cannot be sent. Set \
                PRELUDE_SESSION_\(channel.rawValue.uppercased())_ROUTE, or \(channel.rawValue)Route in the configuration \
                file. Then run: prelude-session delivery test --to \(channel == .email ? "you@example.com" : "+14155550123")

                """
            FileHandle.standardError.write(Data(text.utf8))
        }
    }
}
