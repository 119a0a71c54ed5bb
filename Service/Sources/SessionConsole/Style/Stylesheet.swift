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
