import ArgumentParser
import SessionDomain

/// The flags that turn logins of an app on.
struct LoginFlags: ParsableArguments {
    @Flag(help: "Turn on password login.") var password = false
    @Flag(help: "Turn on login with a code by SMS.") var sms = false
    @Flag(help: "Turn on login with a code by e-mail.") var email = false

    var channels: [OTPLoginConfig.Channel] { (sms ? [.sms] : []) + (email ? [.email] : []) }
}
