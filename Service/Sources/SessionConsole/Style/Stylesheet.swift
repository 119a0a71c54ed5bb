/// The one stylesheet of the console, in parts, and its icon.
enum Stylesheet {
    /// A key in a ring, for the tab of the browser.
    static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#3d3a8c"/>
        <circle cx="12" cy="16" r="5" fill="none" stroke="#fff" stroke-width="3"/>
        <path d="M17 16h9m-3 0v5" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>
        """

    /// Tokens of colour, space and type, and the elements without classes.
    static let base = """
        :root {
          color-scheme: light dark;
          --ground: #f6f6f9; --surface: #ffffff; --raised: #f0f0f5; --line: #dcdce4; --edge: #82828f;
          --text: #1b1b22; --quiet: #595966; --accent: #3d3a8c; --accent-text: #ffffff; --accent-soft: #ecebfa;
          --good: #17613a; --good-soft: #e3f4ea; --bad: #a3162b; --bad-soft: #fdecee; --warn: #6f4a00; --warn-soft: #fdf2d8;
          --space-1: .25rem; --space-2: .5rem; --space-3: .75rem; --space-4: 1rem; --space-5: 1.5rem; --space-6: 2rem;
          --space-7: 3rem; --radius: .625rem; --small: .8125rem; --normal: .9375rem; --large: 1.125rem; --huge: 1.625rem;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #121217; --surface: #1a1a21; --raised: #24242d; --line: #34343f; --edge: #8b8b99;
            --text: #efeff4; --quiet: #b0b0bd; --accent: #b4b1ff; --accent-text: #16152e; --accent-soft: #2a2950;
            --good: #8fd8ae; --good-soft: #16301f; --bad: #ffa8b1; --bad-soft: #3d1a20; --warn: #f0cb7e;
            --warn-soft: #362a10;
          }
        }
        *, ::before, ::after { box-sizing: border-box; }
        html { font: 400 100%/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
        body { margin: 0; min-height: 100vh; background: var(--ground); color: var(--text); font-size: var(--normal);
          overflow-wrap: anywhere; }
        h1, h2, h3, p, ul, ol, dl, dd, pre, fieldset { margin: 0; padding: 0; }
        h1 { font-size: var(--huge); line-height: 1.2; font-weight: 650; letter-spacing: -.015em; }
        h2 { font-size: var(--large); line-height: 1.3; font-weight: 620; }
        h3 { font-size: var(--normal); line-height: 1.3; font-weight: 600; }
        ul, ol { list-style: none; }
        a { color: var(--accent); text-underline-offset: .2em; text-decoration-thickness: .06em; }
        a:hover { text-decoration-thickness: .12em; }
        code, pre, .mono { font: .875em/1.5 ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace; }
        pre { white-space: pre-wrap; background: var(--raised); border-radius: .375rem; padding: var(--space-3); }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .25rem; }
        details > summary { cursor: pointer; color: var(--accent); width: fit-content; padding: var(--space-1) 0; }
        details[open] > summary { margin-bottom: var(--space-2); }
        table { border-collapse: collapse; width: 100%; }
        th, td { text-align: left; vertical-align: top; padding: var(--space-3); border-bottom: 1px solid var(--line); }
        th:first-child, td:first-child { padding-left: var(--space-4); }
        th:last-child, td:last-child { padding-right: var(--space-4); }
        td > details > summary { margin: calc(-1 * var(--space-1)) 0; }
        thead th { font-size: var(--small); font-weight: 600; color: var(--quiet); white-space: nowrap; }
        tbody th { font-weight: 560; }
        tbody tr:last-child > * { border-bottom: 0; }
        tbody tr:hover { background: var(--raised); }
        td, tbody th { overflow-wrap: normal; }
        td pre { min-width: 18rem; }

        """
}

extension Stylesheet {
    /// The frame of all pages: header, navigation, main part, and the sign-in.
    static let frame = """
        .skip { position: absolute; left: var(--space-4); top: -4rem; background: var(--accent); color: var(--accent-text);
          padding: var(--space-2) var(--space-4); border-radius: .375rem; z-index: 1; }
        .skip:focus { top: var(--space-2); }
        .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
        .top { background: var(--surface); border-bottom: 1px solid var(--line); }
        .top > div { max-width: 76rem; margin: 0 auto; padding: var(--space-3) var(--space-5); display: flex;
          flex-wrap: wrap; align-items: center; gap: var(--space-2) var(--space-5); }
        .brand { display: inline-flex; align-items: center; gap: var(--space-2); font-weight: 650; color: var(--text);
          text-decoration: none; white-space: nowrap; padding: var(--space-1) 0; }
        .mark { width: 1.5rem; height: 1.5rem; border-radius: .4rem; background: var(--accent); color: var(--accent-text);
          display: inline-grid; place-items: center; font-size: .875rem; font-weight: 700; }
        .places { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-4); flex: 1; }
        .places a { color: var(--quiet); text-decoration: none; padding: var(--space-1) 0; }
        .places a:hover, .places a[aria-current] { color: var(--text); }
        .places a[aria-current] { font-weight: 600; }
        .operator { display: flex; align-items: center; gap: var(--space-3); color: var(--quiet); font-size: var(--small); }
        .operator .actions { margin: 0; }
        .app { background: var(--surface); border-bottom: 1px solid var(--line); }
        .app > nav { max-width: 76rem; margin: 0 auto; padding: var(--space-3) var(--space-5) 0; }
        .app p { font-size: var(--small); color: var(--quiet); }
        .app p strong { color: var(--text); font-size: var(--normal); }
        .app ul { display: flex; flex-wrap: wrap; gap: 0 var(--space-5); }
        .app li a { display: block; padding: var(--space-3) 0; color: var(--quiet); text-decoration: none;
          border-bottom: 3px solid transparent; }
        .app li a:hover { color: var(--text); }
        .app li a[aria-current] { color: var(--text); font-weight: 600; border-bottom-color: var(--accent); }
        .page { max-width: 76rem; margin: 0 auto; padding: var(--space-6) var(--space-5) var(--space-7); display: grid;
          gap: var(--space-5); grid-template-columns: minmax(0, 1fr); }
        .page-head { display: flex; flex-wrap: wrap; gap: var(--space-3) var(--space-5); align-items: end;
          justify-content: space-between; }
        .crumb { font-size: var(--small); }
        .sign-in { min-height: 100vh; display: grid; place-items: center; padding: var(--space-5); }
        .sign-in .card { width: min(27rem, 100%); padding: var(--space-6); display: grid; gap: var(--space-5); }
        .sign-in h1 { font-size: 1.375rem; }
        .sign-in .mark { width: 2.25rem; height: 2.25rem; font-size: 1.125rem; border-radius: .6rem; }
        .sign-in button { width: 100%; }
        .sign-in details { color: var(--quiet); font-size: var(--small); }
        .sign-in details > * + * { margin-top: var(--space-2); }
        @media (max-width: 40rem) {
          .top > div, .app > nav { padding-left: var(--space-4); padding-right: var(--space-4); }
          .page { padding: var(--space-5) var(--space-4) var(--space-6); }
          .places { order: 3; flex-basis: 100%; }
          .app ul { gap: 0 var(--space-4); }
          .app li a { padding: var(--space-1) 0; border-bottom-width: 2px; }
          h1 { font-size: 1.375rem; }
        }

        """
}

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

extension Stylesheet {
    /// Graphs. The picture is stretched, and the labels of its axes are texts beside it, so they stay readable on a phone. The
    /// last one has the whole width if it is alone in its row.
    static let graphs = """
        .activity { display: grid; gap: var(--space-4); grid-template-columns: minmax(0, 1fr); }
        .activity > .message:empty { display: none; }
        .activity .button[aria-current] { background: var(--accent-soft); border-color: var(--accent); }
        .graphs { display: grid; gap: var(--space-5);
          grid-template-columns: minmax(0, 1fr); }
        @media (min-width: 48rem) and (max-width: 71.99rem) {
          .graphs { grid-template-columns: repeat(2, minmax(0, 1fr)); }
          .graphs > :nth-child(odd):last-child { grid-column: span 2; }
        }
        @media (min-width: 72rem) {
          .graphs { grid-template-columns: repeat(6, minmax(0, 1fr)); }
          .graphs > * { grid-column: span 2; }
          .graphs > :nth-child(-n + 2) { grid-column: span 3; }
          .graphs > :nth-child(3n):last-child { grid-column: span 6; }
        }
        h3 { font-size: var(--normal); line-height: 1.3; font-weight: 620; margin: 0; }
        .graph { gap: var(--space-3); grid-row: span 5; grid-template-rows: subgrid; }
        .graph h3 { font-size: var(--large); }
        .graph .unit { color: var(--quiet); font-size: var(--small); font-weight: 400; }
        .legend { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-4); font-size: var(--small); }
        .legend li { display: inline-flex; align-items: center; gap: var(--space-2); color: var(--quiet); }
        .legend strong { color: var(--text); font-variant-numeric: tabular-nums; }
        .sample { width: 1.75rem; height: .5rem; flex: none; }
        .plot { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: var(--space-2) var(--space-3); }
        .plot .y, .plot .x { display: flex; justify-content: space-between; color: var(--quiet); line-height: 1;
          font-size: var(--small); font-variant-numeric: tabular-nums; white-space: nowrap; }
        .plot .y { flex-direction: column; text-align: right; margin: -.4rem 0; }
        .plot .x { grid-column: 2; }
        .plot svg { width: 100%; height: 9rem; overflow: visible; display: block; }
        .plot-empty { height: 9rem; display: grid; place-items: center; color: var(--quiet); }
        .grid, .line { fill: none; vector-effect: non-scaling-stroke; }
        .grid { stroke: var(--line); stroke-width: 1px; }
        .line { stroke-width: 2px; stroke-linejoin: round; stroke-linecap: round; }
        .line.main { stroke: var(--accent); }
        .line.good { stroke: var(--good); stroke-dasharray: 8 5; }
        .line.warn { stroke: var(--warn); stroke-dasharray: 10 5 1 5; }
        .line.bad { stroke: var(--bad); stroke-dasharray: 1 5; stroke-width: 3px; }
        .graph table { font-variant-numeric: tabular-nums; }
        .graph th, .graph td { padding: var(--space-1) var(--space-3) var(--space-1) 0; white-space: nowrap; }
        @media (forced-colors: active) { .line { stroke: CanvasText; } .grid { stroke: GrayText; } }

        """
}

extension Stylesheet {
    /// The readable description of the APIs.
    static let reference = """
        .calls { display: grid; gap: var(--space-2); }
        .calls li { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-4); justify-content: space-between;
          align-items: baseline; }
        .badge.method { font-weight: 650; min-width: 4.25rem; text-align: center; margin-right: var(--space-2); }
        .badge.get { background: var(--good-soft); color: var(--good); }
        .badge.delete { background: var(--bad-soft); color: var(--bad); }
        .badge.post, .badge.put, .badge.patch { background: var(--accent-soft); color: var(--accent); }
        .call { scroll-margin-top: var(--space-4); }
        .call:target { border-color: var(--accent); }
        .call h2 a { color: inherit; text-decoration: none; }
        .call h2 a:hover { text-decoration: underline; }
        .call h3 { margin-top: var(--space-2); }
        .call .path { font-size: var(--normal); }
        .call .unit { color: var(--quiet); font-size: var(--small); font-weight: 400; }
        .call th, .call td { padding: var(--space-2) var(--space-4) var(--space-2) 0; }
        .call tbody th, .call td { font-size: var(--small); }
        .call td:last-child { min-width: 16rem; overflow-wrap: break-word; }
        .call .needed { color: var(--quiet); font-weight: 400; }
        .call .limits { display: block; color: var(--quiet); }

        """
}

extension Stylesheet {
    /// The playground: panels beside the log of calls, below each other on narrow screens.
    static let playground = """
        [hidden] { display: none !important; }
        .playground, .column { display: grid; gap: var(--space-5); grid-template-columns: minmax(0, 1fr);
          align-content: start; }
        .card .column { gap: var(--space-4); }
        @media (min-width: 62rem) { .to-calls { display: none; } .playground { grid-template-columns: minmax(19rem, 2fr) minmax(0, 3fr); } }
        .playground h3 { margin: 0; font-size: 1rem; font-weight: 620; }
        .playground h4 { margin: 0; font-size: var(--small); font-weight: 600; color: var(--quiet); }
        .playground .error:empty { display: none; }
        .playground .card > form + form { border-top: 1px solid var(--line); padding-top: var(--space-4); }
        .playground details .hint { margin-top: var(--space-2); }
        .playground [aria-invalid] { border-color: var(--bad); border-width: 2px; }
        .playground[aria-busy] { cursor: progress; }
        .log { display: grid; gap: var(--space-4); }
        .step { background: var(--surface); border: 1px solid var(--line); border-left: 3px solid var(--accent);
          border-radius: var(--radius); padding: var(--space-4); display: grid; gap: var(--space-3);
          grid-template-columns: minmax(0, 1fr); }
        .swift { background: var(--accent-soft); color: var(--text); }
        .calls { display: grid; gap: var(--space-2); }
        .call { border-top: 1px solid var(--line); padding-top: var(--space-2); }
        .call > summary { width: auto; color: var(--text); }
        .call > summary > span { margin-right: var(--space-2); }
        .call[open] > * + * { margin-top: var(--space-2); }
        .method { font-weight: 620; }
        .path { font: .875em/1.5 ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace; }
        .time { color: var(--quiet); font-size: var(--small); font-variant-numeric: tabular-nums; }
        .devices { display: grid; gap: var(--space-3); }
        .devices li { display: flex; flex-wrap: wrap; gap: 0 var(--space-3); align-items: center; }
        .devices .hint { flex: 1 1 12rem; }
        .token { color: var(--accent); }
        .members { display: grid; grid-template-columns: minmax(4rem, auto) minmax(0, 1fr);
          gap: var(--space-2) var(--space-4); }
        .members dt { font: 600 .875em/1.7 ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace; }
        .members dd > * { display: block; }
        .members dd > span { color: var(--quiet); font-size: var(--small); }

        """
}

extension Stylesheet {
    /// Tables and navigation on a narrow screen. It comes last.
    static let phone = """
        @media (max-width: 40rem) {
          .stack, .stack tbody, .stack tr, .stack th, .stack td { display: block; }
          .stack thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
            white-space: nowrap; }
          .stack tbody tr { padding: var(--space-3) var(--space-4); border-bottom: 1px solid var(--line); }
          .stack tbody tr:last-child { border-bottom: 0; }
          .stack tbody tr > * { position: relative; border: 0; padding: var(--space-1) 0 var(--space-1) 7.5rem;
            min-height: 2rem; overflow-wrap: anywhere; }
          .stack tbody tr > *::before { position: absolute; left: 0; top: var(--space-1); width: 7rem; font-weight: 400;
            font-size: var(--small); color: var(--quiet); content: attr(data-label); content: attr(data-label) / ""; }
          .stack td pre { min-width: 0; }
          .stack time { white-space: normal; }
          .app ul { flex-wrap: nowrap; overflow-x: auto; padding: 3px var(--space-6) 3px 3px; white-space: nowrap;
            mask-image: linear-gradient(to right, #000 calc(100% - var(--space-6)), transparent); }
          .app li:has([aria-current]) { scroll-initial-target: nearest; }
        }

        """
}
