import SessionDomain

/// Routes of the service that carry no codes, because no app has a login by their channel.
struct UnusedRoutes {
    let channels: [OTPLoginConfig.Channel]

    /// - Parameter apps: All apps. Without one of users, the operator has not begun.
    init(of routes: ConfiguredRoutes, apps: [App]) {
        channels = OTPLoginConfig.Channel.allCases.filter { channel in
            !routes[channel].isEmpty && apps.contains { $0.id != .operators }
                && !apps.contains { $0.otpLogins.contains { $0.channel == channel } }
        }
    }

    /// One line for each channel, with the remedy.
    var warnings: [String] {
        channels.map { channel in
            "\(channel.rawValue) has a route, but no app has a login by it: no code is sent. Turn it on with "
                + "`prelude-session app enable --app ID --\(channel.rawValue)`"
        }
    }
}
