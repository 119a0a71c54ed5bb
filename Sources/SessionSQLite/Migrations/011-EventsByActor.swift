extension Migration {
    /// The index of the filter by actor. It contains only events of operators and of stored management keys, so the events of
    /// clients cost it nothing. It reads the actor from the context, so it also has the events from before this step.
    ///
    /// Step 10 belongs to PostgreSQL alone.
    static let eventsByActor = Migration(
        number: 11, name: "events by actor",
        sql: """
            CREATE INDEX events_by_actor ON events (app_id, context ->> '$.actor.id', created_at)
                WHERE context ->> '$.actor.id' IS NOT NULL;
            """)
}
