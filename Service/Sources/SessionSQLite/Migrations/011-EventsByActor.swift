extension Migration {
    /// The index of the filter by actor. It contains only events of operators and of stored management keys, so the events of
    /// clients cost it nothing. It reads the actor from the context, so it also has the events from before this step.
    ///
    /// The expressions are those of `EventSelection`. They use no function for JSON: with `trusted_schema` off, SQLite calls
    /// those unsafe in a schema. Step 10 belongs to PostgreSQL alone.
    static let eventsByActor = Migration(
        number: 11, name: "events by actor",
        sql: """
            CREATE INDEX events_by_actor ON events (
                app_id,
                CASE WHEN substr(context, 1, 16) = '{"actor":{"id":"'
                    THEN substr(context, 17, instr(substr(context, 17), '"') - 1) END,
                created_at
            ) WHERE substr(context, 1, 16) = '{"actor":{"id":"';
            """)
}
