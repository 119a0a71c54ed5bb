import ArgumentParser
import SessionDomain
import SessionHTTP

@main
struct PreludeSessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prelude-session",
        abstract: "Signs users in: the session service, its administration, and a client.",
        version: BuildVersion.text,
        subcommands: [InitCommand.self, CheckCommand.self, ServeCommand.self, HealthCommand.self],
        groupedSubcommands: [
            CommandGroup(
                name: "Signing in (through the SDK):",
                subcommands: [
                    LoginCommand.self, WhoAmICommand.self, SessionsCommand.self, RevokeCommand.self,
                    RefreshCommand.self, StepUpCommand.self, ChangePasswordCommand.self, LogoutCommand.self,
                ]),
            CommandGroup(
                name: "Administration (on the database):",
                subcommands: [
                    AppCommand.self, DomainCommand.self, ScopeCommand.self, WebhookCommand.self, UserCommand.self,
                    LimitsCommand.self, BlockCommand.self, TemplateCommand.self, SessionCommand.self, KeyCommand.self,
                    OperatorCommand.self,
                    DeliveryCommand.self, EventsCommand.self, BackupCommand.self, ExportCommand.self,
                    ImportCommand.self,
                    MigrateCommand.self,
                ]),
        ]
    )

    static func main() async {
        DispatchLog.turnOff()
        StandardStreams.openMissing()
        EventLoops.useAvailableCores()
        await main(nil)
    }
}

/// Commands and log entries print a refusal with its message of the HTTP API.
extension Refusal: CustomStringConvertible {
    public var description: String { message }
}
