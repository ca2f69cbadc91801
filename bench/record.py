"""Results as a file of bench/results: the JSON as it is, and a summary in Markdown."""

import json
import re


def is_name(text):
    return re.fullmatch(r"[a-z0-9][a-z0-9-]*", text) is not None


def targets(results):
    """Each with its program and table."""
    return [(program, table, target) for program in results["programs"] for table in program["tables"]
            for target in table["targets"]]


VERDICTS = {True: "met", False: "missed", None: "not measured"}


def counts(results):
    verdicts = [VERDICTS[target["met"]] for _, _, target in targets(results)]
    return "targets: " + ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in VERDICTS.values())


def number(value):
    """With three digits."""
    if value is None:
        return "-"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def threads(count):
    return "1 thread" if count == 1 else f"{count} threads"


def load_of(table):
    begin, end = (f"{value:.1f}" for value in table["load"])
    return begin if begin == end else f"{begin} to {end}"


def machine_line(machine):
    parts = [machine["processor"], f"{machine['cores']} cores", machine["vectors"], *machine["caches"],
             machine["memory"], "a virtual machine" if machine["virtual"] else "", machine["system"]]
    return ", ".join(part for part in parts if part)


def version_line(results):
    known = {**results["versions"], **{name: version or "missing" for name, version in results["peers"].items()}}
    return ", ".join(f"{name} {version}" for name, version in known.items() if version)


def cell(text):
    return str(text).replace("|", "\\|")


def row(*cells):
    return "| " + " | ".join(cell(each) for each in cells) + " |"


def summary(results):
    lines = [f"# {results['date'][:10]}, {results['machine']['processor']}", "",
             f"{machine_line(results['machine'])}.", "",
             f"{version_line(results)}. Commit {results['commit'] or 'unknown'}; `scripts/bench"
             f"{' --quick' if results['quick'] else ''}`, {results['seconds']} s; {counts(results)}.", ""]
    lines += [f"- {remark}" for remark in results["remarks"]]
    for program in results["programs"]:
        lines += ["", f"## {program['program']}", "", f"{program['about']}.", ""]
        failures = [f"- {reason}" for reason in program["left_out"]]
        failures += [f"- Failed: {' '.join(error.split())}" for error in program["errors"]]
        lines += [*failures, ""] if failures else []
        asked = [(table, target) for table in program["tables"] for target in table["targets"]]
        if asked:
            lines += [row("table", "load", "what", "target", "reached", ""), row(*["---"] * 6)]
        for table, target in asked:
            place = f" ({target['input']})" if target["input"] else ""
            lines.append(row(f"{table['title']}, {threads(table['threads'])}", load_of(table), target["name"],
                             f"{target['direction']} {target['wanted']:g}", number(target["reached"]) + place,
                             VERDICTS[target["met"]]))
        # One line per ratio of which nothing is asked.
        others = [(table, ratio) for table in program["tables"] for ratio in table["ratios"]
                  if ratio["name"] not in {target["column"] for target in table["targets"]}]
        if others:
            lines += ["", row("table", "load", "ratio", "geometric mean", "least", "greatest"), row(*["---"] * 6)]
        for table, ratio in others:
            lines.append(row(f"{table['title']}, {threads(table['threads'])}", load_of(table), ratio["name"],
                             *(number(ratio[name]) for name in ("geometric mean", "least", "greatest"))))
    return "\n".join(lines) + "\n"


def write(results, folder, name):
    """Returns the files."""
    folder.mkdir(exist_ok=True)
    as_json, as_text = folder / f"{name}.json", folder / f"{name}.md"
    as_json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    as_text.write_text(summary(results), encoding="utf-8")
    return [as_json, as_text]
