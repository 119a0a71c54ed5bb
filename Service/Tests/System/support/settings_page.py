"""Writes docs/settings.md from what `prelude-session config get` says: settings_page.py PROGRAM > docs/settings.md"""

import itertools
import json
import subprocess
import sys

HEAD = """# Settings of an app

All settings with their defaults. The program has written this page. Change a setting in the console, by the [management
API](management.md), or by a command, which keeps the other settings:

```sh
prelude-session config get --app abc1234 limits
prelude-session config set --app abc1234 limits code_lifetime=300 'starts={"limit": 3, "window": 600}'
```

A rate is `{"limit": …, "window": …}`: at most so many events in so many seconds. A limit of 0 allows none. Lists of rules,
claims, messages, logins with a code and mail servers are in [management.md](management.md).
"""

#: How the management API reaches each group, and more about it.
GROUPS = {
    "app": "`PATCH …`, with the members that change",
    "sessions": "`PUT …/config/sessions`; [protocol.md](protocol.md#decisions) says what they do",
    "limits": "`PUT …/config/limits`; [protocol.md](protocol.md#budgets) says what is counted, [limits.md](limits.md) what to set",
    "notices": "`PUT …/config/notices`; [management.md](management.md#notices) says who gets one",
    "login.password": "`PUT …/config/login/password`",
    "templates": "`PUT …/config/templates`; [management.md](management.md#messages) has the messages themselves",
    "migration": "`PUT …/config/migration`; [how to move](flows/migration.md)",
    "passkey": "`PUT …/config/passkey`; [operating/passkeys.md](operating/passkeys.md) says how to choose them",
}


def settings(program: str) -> list[dict]:
    return json.loads(subprocess.run(
        [program, "config", "get", "--json"], capture_output=True, text=True, check=True, timeout=60).stdout)


def row(setting: dict) -> str:
    name = setting["setting"].removeprefix(group(setting) + ".")
    default = "none" if setting["default"] in (None, "") else f"`{json.dumps(setting['default'])}`"
    meaning = ". ".join(filter(None, [setting["description"], setting["hint"]]))
    values = setting["range"] or ("`true` or `false`" if isinstance(setting["default"], bool) else "a text")
    return f"| `{name}` | {meaning} | {values} | {default} |"


def group(setting: dict) -> str:
    return next(name for name in GROUPS if setting["setting"].startswith(name + "."))


def page(all_settings: list[dict]) -> str:
    parts = [HEAD]
    for name, members in itertools.groupby(all_settings, group):
        parts.append(f"\n## {name}\n\n{GROUPS[name]}\n")
        for section, rows in itertools.groupby(members, lambda setting: setting["section"]):
            title = f"{section}:\n\n" if section else ""
            table = ["| setting | meaning | values | default |", "| --- | --- | --- | --- |", *map(row, rows)]
            parts.append(f"\n{title}" + "\n".join(table) + "\n")
    return "".join(parts)


if __name__ == "__main__":
    print(page(settings(sys.argv[1])), end="")
