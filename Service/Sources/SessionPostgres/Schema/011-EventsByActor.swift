extension Migration {
    /// The index of the filter by actor. It contains only events of operators and of stored management keys, so the events of
    /// clients cost it little. It reads the actor from the context, so it also has the events from before this step, and
    /// those of nodes of the version before.
    ///
    /// The expression is that of `EventSelection.actorID`, and no cast to JSON: a cast fails for U+0000, and no value that
    /// a client sends may make the insert of an event fail.
    static let eventsByActor = Migration(
        number: 11, name: "events by actor", usableFrom: 10,
        work: .index(
            name: "events_by_actor",
            on: """
                events (app_id, (substring(context, '^[{]"actor":[{]"id":"([A-Za-z0-9_]+)"')), created_at, sequence) \
                WHERE substring(context, '^[{]"actor":[{]"id":"([A-Za-z0-9_]+)"') IS NOT NULL
                """))
}
