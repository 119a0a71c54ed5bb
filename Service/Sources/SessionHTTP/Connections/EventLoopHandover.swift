import SessionDomain

/// Passes work between event loops and the writer of a store, with one change of threads for many jobs.
package struct EventLoopHandover: Handover {
    package init() {}

    package func afterTurn(_ start: @escaping @Sendable () -> Void) { ThreadTurn.atEnd(start) }

    package func resuming(_ resume: () -> Void) { ThreadTurn.resuming(resume) }
}
