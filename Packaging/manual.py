#!/usr/bin/env python3
"""Writes the manual pages from the program's own help: manual.py HELP.json VERSION DATE FOLDER

HELP.json is the output of `prelude-session --experimental-dump-help`, so names, help and order match the program.
"""

import json
import pathlib
import re
import sys

PROGRAM = "prelude-session"
#: What the text of the help does not say: variables that are no flags of `serve`.
VARIABLES = {
    "CONFIG": "The settings file, for --config.",
    "MANAGEMENT_KEY": "A key of the management API.",
    "MASTER_KEYS": "The master keys, for operators who have no key file. The current one first, separated by commas.",
    "BACKUP_PASSPHRASE": "The passphrase of backups.",
    "ENDPOINT": "The service that the client commands call, for --endpoint.",
    "CREDENTIALS": "The folder of the client commands with the stored session.",
}
#: Settings whose variable is a plural, because it has a list.
PLURALS = {"trusted-proxy": "trusted-proxies", "egress-network": "egress-networks"}
FILES = {
    "/etc/prelude/session.json": "The settings, which prelude-session init writes.",
    "/var/lib/prelude": "The database and the master keys, if init got no other path.",
}


def roff(text: str) -> str:
    """Escapes text for roff: backslashes, hyphens, and lines that begin with a control character."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("\u2019", "\\(cq").replace("\u2026", "\\&...")
    text = re.sub("`([^`\\n]+)`", r"\\fB\1\\fR", text)
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.splitlines())


def paragraphs(text: str) -> str:
    return "\n.PP\n".join(roff(part) for part in re.split(r"\n\s*\n", text.strip()))


def name(argument: dict, value: bool = True) -> str:
    """The names of an argument as the user types them, in bold, with its value in italics."""
    meant = f"\\fI{roff(argument.get('valueName', 'value'))}\\fR"
    if argument["kind"] == "positional":
        return meant
    names = [("\\-" if one["kind"] == "short" else "\\-\\-") + roff(one["name"]) for one in argument["names"]]
    text = ", ".join(f"\\fB{one}\\fR" for one in names)
    return f"{text} {meant}" if argument["kind"] == "option" and value else text


def usage(path: list[str], command: dict) -> str:
    parts = [f"\\fB{roff(' '.join(path))}\\fR"]
    for argument in shown(command):
        preferred = {**argument, "names": [argument["preferredName"]]} if argument.get("preferredName") else argument
        text = name(preferred) + (" ..." if argument["isRepeating"] else "")
        parts.append(f"[{text}]" if argument["isOptional"] else text)
    if command.get("subcommands"):
        parts.append("\\fIcommand\\fR")
    return " ".join(parts)


def shown(command: dict) -> list[dict]:
    return [argument for argument in command.get("arguments", []) if argument["shouldDisplay"]]


def commands(command: dict) -> list[dict]:
    return [one for one in command.get("subcommands", []) if one["shouldDisplay"] and one["commandName"] != "help"]


def options(command: dict) -> list[str]:
    lines = []
    for argument in shown(command):
        text = argument.get("abstract") or argument.get("discussion") or ""
        default = argument.get("defaultValue")
        if default and "(default:" not in text:
            text += f" (default: {default})"
        if argument.get("allValues"):
            text += f" (values: {', '.join(argument['allValues'])})"
        lines += [".TP", name(argument), roff(text.strip()) or "\\&"]
    return lines


def page(path: list[str], command: dict, version: str, date: str, see: list[str]) -> str:
    title = "-".join(path)
    abstract = command.get("abstract", "").rstrip(".")
    lines = [
        f'.TH "{roff(title.upper())}" 1 "{date}" "{roff(PROGRAM)} {roff(version)}" "User Commands"', ".SH NAME",
        f"{roff(title)} \\- {roff(abstract[:1].lower() + abstract[1:])}", ".SH SYNOPSIS", usage(path, command),
    ]
    if command.get("discussion"):
        lines += [".SH DESCRIPTION", paragraphs(command["discussion"])]
    lines += [".SH OPTIONS", *options(command)]
    for section, one in enumerate(commands(command)):
        if len(path) == 1:
            lines += [".SH COMMANDS"] if section == 0 else []
            lines += [".TP", f"\\fB{roff(' '.join([*path, one['commandName']]))}\\fR(1)", roff(one.get("abstract", ""))]
        else:
            full = [*path, one["commandName"]]
            lines += [f'.SH "{roff(" ".join(full).upper())}"', usage(full, one), ".PP", roff(one.get("abstract", ""))]
            lines += [".PP", paragraphs(one["discussion"])] if one.get("discussion") else []
            lines += options(one)
    if len(path) == 1 or path[1:] == ["serve"]:
        serve = next(one for one in commands(command) if one["commandName"] == "serve") if len(path) == 1 else command
        lines += [
            ".SH ENVIRONMENT",
            roff("A flag overrides the environment, and the environment overrides the file. The variables of mail and SMS "
                 "are in docs/delivery.md."),
        ]
        for variable, text in variables(serve).items():
            lines += [".TP", f"\\fB{variable}\\fR", roff(text)]
        lines += [".SH FILES"]
        for file, text in FILES.items():
            lines += [".TP", f"\\fI{roff(file)}\\fR", roff(text)]
    lines += [".SH SEE ALSO", ", ".join(f"\\fB{roff(one)}\\fR(1)" for one in see if one != title)]
    return "\n".join(lines) + "\n"


def variables(serve: dict) -> dict[str, str]:
    """The environment variable of each flag of `serve`, and the others."""
    found = {}
    for argument in shown(serve):
        long = next((one["name"] for one in argument.get("names", []) if one["kind"] == "long"), None)
        if long and long not in ("help", "version", "config"):
            found[f"PRELUDE_SESSION_{PLURALS.get(long, long).upper().replace('-', '_')}"] = f"For --{long}."
    return found | {f"PRELUDE_SESSION_{variable}": text for variable, text in VARIABLES.items()}


def main() -> None:
    help_file, version, date, folder = sys.argv[1:]
    root = json.loads(pathlib.Path(help_file).read_text())["command"]
    pages = {PROGRAM: ([PROGRAM], root)} | {
        f"{PROGRAM}-{one['commandName']}": ([PROGRAM, one["commandName"]], one) for one in commands(root)}
    for title, (path, command) in pages.items():
        see = list(pages) if len(path) == 1 else [PROGRAM, f"{PROGRAM}-serve", f"{PROGRAM}-check"]
        (pathlib.Path(folder) / f"{title}.1").write_text(page(path, command, version, date, see))


if __name__ == "__main__":
    main()
