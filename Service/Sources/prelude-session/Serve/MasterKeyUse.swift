/// Whether a command uses the master keys. Most commands only read and change rows, so they work without access to the
/// keys.
enum MasterKeyUse {
    case none
    /// The command reads or creates signing keys.
    case needed
    /// The command replaces what keys that are lost have sealed.
    case replacing
}
