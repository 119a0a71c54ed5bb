extension Stylesheet {
    /// Cards, tables, forms, buttons, badges and messages.
    static let parts = """
        .card { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius);
          padding: var(--space-5); display: grid; gap: var(--space-4); align-content: start;
          grid-template-columns: minmax(0, 1fr); }
        .card.table { padding: 0; gap: 0; }
        .card.table > h2, .card.table > .card-head { padding: var(--space-4) var(--space-4) var(--space-3); }
        .card-head { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-4); align-items: center;
          justify-content: space-between; }
        .scroll { position: relative; overflow-x: auto; border-radius: var(--radius); }
        .columns { display: grid; gap: var(--space-5); grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr));
          align-items: start; }
        .beside, .beside > div { display: grid; gap: var(--space-5); grid-template-columns: minmax(0, 1fr);
          align-items: start; }
        @media (min-width: 72rem) {
          .beside { grid-template-columns: minmax(0, 1fr) 22rem; }
          .beside > :last-child { position: sticky; top: var(--space-4); }
          .beside .row > .field { flex-basis: 9rem; }
        }
        .figures { display: grid; gap: var(--space-4); grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); }
        .figures > div { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius);
          padding: var(--space-4) var(--space-5); display: flex; flex-direction: column-reverse; }
        .figures dt { color: var(--quiet); font-size: var(--small); }
        .figures dd { font-size: var(--huge); font-weight: 620; font-variant-numeric: tabular-nums; }
        .values { display: grid; grid-template-columns: minmax(9rem, 14rem) minmax(0, 1fr); gap: var(--space-3) var(--space-5); }
        .values dt { color: var(--quiet); }
        .columns .values { grid-template-columns: minmax(5rem, auto) minmax(0, 1fr); column-gap: var(--space-4); }
        .columns .values .mono, .columns .values code { font-size: .75rem; }
        @media (max-width: 40rem) { .values { grid-template-columns: minmax(0, 1fr); gap: var(--space-1); }
          .values dd { margin-bottom: var(--space-3); } }
        .lead { font-size: 1.0625rem; max-width: 44rem; }
        .hint, .none { color: var(--quiet); }
        .hint { font-size: var(--small); max-width: 44rem; }
        .empty { padding: var(--space-6) var(--space-5); text-align: center; display: grid; gap: var(--space-3);
          justify-items: center; color: var(--quiet); }
        .empty strong { color: var(--text); font-size: var(--large); }
        .badge { display: inline-block; border-radius: 1rem; padding: 0 var(--space-3); font-size: var(--small);
          font-weight: 560; white-space: nowrap; background: var(--raised); color: var(--quiet); }
        .badge.good { background: var(--good-soft); color: var(--good); }
        .badge.bad { background: var(--bad-soft); color: var(--bad); }
        .badge.warn { background: var(--warn-soft); color: var(--warn); }
        .message { border-radius: var(--radius); padding: var(--space-3) var(--space-4); border-left: 4px solid;
          background: var(--good-soft); color: var(--good); }
        .message.bad { background: var(--bad-soft); color: var(--bad); }
        .message.bad a { color: inherit; }
        .message.warn { background: var(--warn-soft); color: var(--warn); }
        .secret { display: block; padding: var(--space-3) var(--space-4); background: var(--raised); border-radius: .375rem;
          user-select: all; font-size: var(--normal); }
        form { display: grid; gap: var(--space-4); grid-template-columns: minmax(0, 1fr); }
        form.inline { display: inline-grid; }
        .row { display: flex; flex-wrap: wrap; gap: var(--space-3) var(--space-4); align-items: end; }
        .row > .field { flex: 1 1 11rem; max-width: 22rem; }
        .row > .actions { flex: 0 0 auto; }
        .row:has(> .field > .hint:last-child) > .actions { align-self: center; }
        fieldset { border: 0; display: grid; gap: var(--space-4); min-width: 0; }
        fieldset + fieldset, fieldset + .field, .field + fieldset { border-top: 1px solid var(--line);
          padding-top: var(--space-4); }
        legend { font-weight: 620; float: left; width: 100%; padding: 0; }
        legend + * { clear: both; }
        .field { display: grid; gap: var(--space-1); max-width: 38rem; grid-template-columns: minmax(0, 1fr); }
        .field label { font-weight: 560; }
        .field.checkbox { grid-template-columns: 1.25rem minmax(0, 1fr); gap: var(--space-3); align-items: start; }
        .field.checkbox input { width: 1.125rem; height: 1.125rem; margin: .2rem 0 0; accent-color: var(--accent); }
        .checks { display: grid; gap: var(--space-2) var(--space-4);
          grid-template-columns: repeat(auto-fit, minmax(min(17rem, 100%), 1fr)); }
        .checks label { font-weight: 400; }
        input:not([type=checkbox]), select, textarea { font: inherit; color: inherit; background: var(--surface);
          border: 1px solid var(--edge); border-radius: .375rem; padding: var(--space-2) var(--space-3); width: 100%;
          min-height: 2.5rem; }
        textarea { resize: vertical; }
        .steps .row:has(option[value=""]:checked) > .field + .field { display: none; }
        form:has(option[value=block]:checked) .unless-block, form:has(option[value=block]:checked) .only-review,
        form:has(option[value=continue]:checked) .only-review { display: none; }
        .number { max-width: 12rem; font-variant-numeric: tabular-nums; }
        .field.invalid input, .field.invalid textarea, .field.invalid select { border-color: var(--bad); border-width: 2px; }
        .error { color: var(--bad); font-weight: 560; font-size: var(--small); }
        .actions { display: flex; flex-wrap: wrap; gap: var(--space-3); margin-top: var(--space-1); align-items: center; }
        button, .button { font: inherit; font-weight: 560; border-radius: .375rem; padding: var(--space-2) var(--space-4);
          min-height: 2.5rem; cursor: pointer; border: 1px solid var(--edge); background: var(--surface); color: var(--text);
          text-decoration: none; display: inline-flex; align-items: center; justify-content: center; white-space: nowrap; }
        button:hover, .button:hover { background: var(--raised); }
        .primary { background: var(--accent); border-color: var(--accent); color: var(--accent-text); }
        .primary:hover { background: var(--accent); filter: brightness(1.12); }
        .danger { border-color: var(--bad); color: var(--bad); }
        .danger:hover { background: var(--bad-soft); }
        .small { min-height: 2rem; padding: var(--space-1) var(--space-3); font-size: var(--small); }
        .mail { border: 1px solid var(--line); border-radius: .375rem; width: 100%; height: 26rem; }
        .pages { display: flex; gap: var(--space-3); align-items: center; flex-wrap: wrap; }
        .entries { display: grid; }
        .entries li { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-4); align-items: center;
          justify-content: space-between; padding: var(--space-2) 0; border-bottom: 1px solid var(--line); }
        .bullets { display: grid; gap: var(--space-2); padding-left: 1.25rem; list-style: disc; max-width: 44rem; }
        time, .mono { font-variant-numeric: tabular-nums; }
        td time, th time { white-space: nowrap; font-weight: 400; }
        @media (forced-colors: active) { .badge, .message { border: 1px solid; } }

        """
}
