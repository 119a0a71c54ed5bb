/// One step from a state to the next.
///
/// A step that nothing else can observe belongs to the step before or after it. A process that dies before it has stored an
/// attempt id has changed nothing. One that dies between an answer and its storing has the same effect as one that dies
/// before the answer. A service that dies after its commit has the same effect as a lost answer.
enum Step {
    /// A process takes the lock, reads the store, stores an attempt id if there is none, and sends.
    case start(StoredRecord, nonce: NonceWindow?)
    /// The same, but the process dies before it sends.
    case storeAttempt(StoredRecord)
    case deliver(Request)
    /// The process receives the answer and acts on it.
    case receive(Answer)
    /// The connection of the process breaks. The request may still arrive.
    case lose
    /// The process dies. The request may still arrive.
    case kill
    /// A minute passes: proofs without a nonce are no longer fresh.
    case wait
    /// The next nonce window begins: the nonces before the last ones expire.
    case nextWindow
    case backUp
    case restore
    case copy(StoredRecord)
    /// The thief sends a request and receives the answer.
    case steal(StoredRecord, Answer)
}

extension Step: CustomStringConvertible {
    var description: String {
        switch self {
        case .start(let record, let nonce): "a process of the device sends \(record)\(nonce.text)"
        case .storeAttempt(let record): "a process of the device stores \(record), and dies before it sends"
        case .deliver(let request): "the service receives \(request)"
        case .receive(let answer): "the process receives: \(answer)"
        case .lose: "the process loses its connection"
        case .kill: "the process dies"
        case .wait: "a minute passes"
        case .nextWindow: "the next nonce window begins"
        case .backUp: "the database is copied"
        case .restore: "the database is set back to the copy"
        case .copy(let record): "the thief copies the key and \(record)"
        case .steal(let record, let answer): "the thief sends \(record), and receives: \(answer)"
        }
    }
}

extension StoredRecord: CustomStringConvertible {
    var description: String { "token \(generation) \(attempt)" }
}

extension Request: CustomStringConvertible {
    var description: String {
        "token \(generation) \(attempt)" + nonce.text + (deliveries > 0 ? ", again" : "")
            + (isAwaited ? "" : ", for which no process waits")
    }
}

extension NonceWindow? {
    fileprivate var text: String {
        switch self {
        case .current: ", with a nonce"
        case .previous: ", with a nonce of the previous window"
        case nil: ""
        }
    }
}

extension Answer: CustomStringConvertible {
    var description: String {
        switch self {
        case .tokens(let generation): "200 with token \(generation)"
        case .nonceDemanded: "400 use_dpop_nonce"
        case .replayed: "400 invalid_dpop_proof"
        case .spent: "409 token_reused"
        case .unauthorized: "401 unauthorized"
        }
    }
}
