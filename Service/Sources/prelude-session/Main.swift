import ArgumentParser
import Foundation
import SessionDomain
import SessionHTTP
import SessionWire

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
                    AppCommand.self, ConfigCommand.self, DomainCommand.self, ScopeCommand.self, WebhookCommand.self,
                    UserCommand.self, PasskeyCommand.self,
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

/// The version of this build, as `--version` and backups show it.
enum BuildVersion {
    /// `0.1.0` for a build of the tag `v0.1.0` without changes, otherwise `0.1.0-untagged`.
    static let text = isTagged ? ReleaseVersion.number : ReleaseVersion.number + "-untagged"

    /// Whether `scripts/package` built this program from a tag.
    private static var isTagged: Bool {
        #if TAGGED_RELEASE
            true
        #else
            false
        #endif
    }
}

/// Opens the standard streams that the caller of the program has closed.
///
/// The next file that opens would get the number of a closed stream, and the log would be written to a connection or to
/// what an event loop waits for.
private enum StandardStreams {
    static func openMissing() {
        for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) == -1 {
            // The lowest free number is that of the stream, because all before it are open.
            _ = open("/dev/null", O_RDWR)
        }
    }
}

/// The messages of libdispatch in the log of the system.
///
/// On Linux it asks for priorities of threads that only a privileged process gets: for the work of the main task, and for its
/// own thread, which has no setting. It goes on without, and writes a line for each thread to the journal.
private enum DispatchLog {
    /// The variable of libdispatch, which it reads before its first message.
    private static let variable = "LIBDISPATCH_LOG"

    /// Must be called before the process has a second thread. A value that the operator has set stays.
    static func turnOff() {
        #if canImport(Glibc)
            setenv(variable, "NO", 0)
        #endif
    }
}
