#!/usr/bin/python3
"""Results of scripts/bench as one page that needs nothing else.

    page.py results.json [-o results.html]
"""

import argparse
import json
import pathlib
import sys

from plot import escape, plot
from record import VERDICTS, counts, load_of, machine_line, number, targets, threads, version_line

CLASSES = {True: "met", False: "missed", None: "open"}
MARKS = {True: "✓", False: "✗", None: "–"}


def reached(target):
    """Its number, and as a mark whether that is what is wanted."""
    met = target["met"]
    if met is None:
        return f'<span class="open">{VERDICTS[met]}</span>'
    return f'{escape(number(target["reached"]))} <span class="{CLASSES[met]}" title="{VERDICTS[met]}">{MARKS[met]}</span>'


def wanted(target):
    return f"{target['direction']} {target['wanted']:g}"


def head_row(*cells):
    """Cells that begin with `#` are of numbers."""
    return "<tr>" + "".join(f'<th class="number">{escape(cell[1:])}</th>' if cell.startswith("#") else
                            f"<th>{escape(cell)}</th>" for cell in cells) + "</tr>"


def table_of(head, lines):
    return f'<div class="wide"><table>{head}{"".join(lines)}</table></div>'


def target_item(target):
    place = f' <span class="quiet">{escape(target["input"])}</span>' if target["input"] else ""
    met = target["met"]
    return (f'<li>{escape(target["name"])} {escape(number(target["reached"]))}, wanted {escape(wanted(target))}: '
            f'<span class="{CLASSES[met]}">{MARKS[met]} {VERDICTS[met]}</span>{place}</li>')


def all_targets(results, anchors):
    """One line per target, with what was reached on one thread and on more beside each other."""
    counted = sorted({table["threads"] for _, table, _ in targets(results)})
    lines, program_before, title_before = [], None, None
    groups = {}
    for program, table, target in targets(results):
        groups.setdefault((program["program"], table["title"], target["name"]), []).append((table, target))
    for (program, title, name), measured in groups.items():
        if program != program_before:
            lines.append(f'<tr class="group"><th colspan="{3 + len(counted)}">{escape(program)}</th></tr>')
            program_before, title_before = program, None
        by_threads = dict((table["threads"], target) for table, target in measured)
        cells = "".join(f'<td class="number">{reached(by_threads[count])}</td>' if count in by_threads else "<td></td>"
                        for count in counted)
        link = "" if title == title_before else f'<a href="#{anchors[id(measured[0][0])]}">{escape(title)}</a>'
        title_before = title
        lines.append(f"<tr><td>{link}</td><td>{escape(name)}</td>"
                     f'<td class="number">{escape(wanted(measured[0][1]))}</td>{cells}</tr>')
    head = head_row("table", "what", "#wanted", *(f"#{threads(count)}" for count in counted))
    return table_of(head, lines) if lines else ""


def figures_of(table):
    """All numbers, one line per input."""
    ratios = [ratio["name"] for ratio in table["ratios"]]
    notes = list(dict.fromkeys(name for row in table["rows"] for name in row["notes"]))
    has_entries = any(row["entries"] for row in table["rows"])
    head = head_row("input", *["#entries"] * has_entries, *(f"#{name}" for name in [*table["columns"], *ratios]), *notes)
    lines = []
    for row in table["rows"]:
        cells = [f'<td class="input">{escape(row["input"])}</td>']
        cells += [f'<td class="number">{row["entries"] or "-"}</td>'] * has_entries
        cells += [f'<td class="number">{escape(number(row[part].get(name)))}</td>'
                  for part, names in (("figures", table["columns"]), ("ratios", ratios)) for name in names]
        cells += [f'<td class="input">{escape(row["notes"].get(name, ""))}</td>' for name in notes]
        lines.append(f'<tr>{"".join(cells)}</tr>')
    return table_of(head, lines)


def figure(table, ratio):
    drawing = plot(table, ratio)
    if not drawing:
        return ""
    good = "below 1 is better" if ratio["better"] == "lower" else "above 1 is better"
    return (f'<figure><figcaption>{escape(ratio["name"])} <span class="quiet">{good}</span></figcaption>'
            f"{drawing}</figure>")


def section(table, anchor):
    asked = {target["column"] for target in table["targets"]}
    shown = "".join(figure(table, ratio) for ratio in table["ratios"] if ratio["name"] in asked)
    others = "".join(figure(table, ratio) for ratio in table["ratios"] if ratio["name"] not in asked)
    met = "".join(map(target_item, table["targets"]))
    parts = [f'<h3 id="{anchor}">{escape(table["title"])}, {threads(table["threads"])}</h3>',
             f'<p class="quiet">{escape(table["unit"])}; load {load_of(table)}</p>']
    parts += [f'<ul class="targets">{met}</ul>'] if met else []
    parts += [f'<div class="plots">{shown}</div>'] if shown else []
    parts += [f'<details><summary>Other ratios</summary><div class="plots">{others}</div></details>'] if others else []
    return "".join([*parts, f"<details><summary>All figures</summary>{figures_of(table)}</details>"])


def in_order(tables):
    """Tables of one name, of one thread and of two, together."""
    names = [table["name"] for table in tables]
    return sorted(tables, key=lambda table: names.index(table["name"]))


def facts(results):
    kind = "quick" if results["quick"] else "full"
    lines = [("Machine", machine_line(results["machine"])), ("Versions", version_line(results)),
             ("Commit", results["commit"] or "unknown"),
             ("Run", f"{results['date'].replace('T', ' ')}, {kind}, {results['seconds']} s")]
    return "<dl>" + "".join(f"<dt>{name}</dt><dd>{escape(text)}</dd>" for name, text in lines) + "</dl>"


def remarks(results):
    found = list(results["remarks"])
    loads = [load for program in results["programs"] for table in program["tables"] for load in table["load"]]
    # Our own threads are part of the load.
    if loads and max(loads) > results["machine"]["cores"] + 0.5:
        found.append(f"Other jobs were running: the load was up to {max(loads):.1f} on {results['machine']['cores']} "
                     "cores. Times on two threads mean little then.")
    return f'<ul class="remarks">{"".join(f"<li>{escape(text)}</li>" for text in found)}</ul>' if found else ""


def page(results):
    anchors = {}
    body = []
    for p, program in enumerate(results["programs"]):
        body.append(f'<h2 id="p{p}">{escape(program["program"])}</h2>'
                    f'<p>{escape(program["about"])}. <span class="quiet">{program["seconds"]} s</span></p>')
        body += [f'<p class="left-out">{escape(reason)}</p>' for reason in program["left_out"]]
        body += [f'<p class="failed">{escape(error)}</p>' for error in program["errors"]]
        for t, table in enumerate(in_order(program["tables"])):
            anchors[id(table)] = f"p{p}-t{t}"
            body.append(section(table, anchors[id(table)]))
    failed = "".join(f'<li><a href="#p{p}">{escape(program["program"])}</a>: <span class="missed">failed</span></li>'
                     for p, program in enumerate(results["programs"]) if program["errors"])
    style = pathlib.Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"/><title>Unravel: benchmarks</title>'
            f'<meta name="viewport" content="width=device-width, initial-scale=1"/><style>{style}</style></head><body>'
            f"<h1>Unravel: benchmarks</h1>{facts(results)}{remarks(results)}"
            f'{f"<ul>{failed}</ul>" if failed else ""}<p class="score">{escape(counts(results).capitalize())}</p>'
            f'{all_targets(results, anchors)}{"".join(body)}</body></html>\n')


def main():
    parser = argparse.ArgumentParser(prog="page.py", description="Results of scripts/bench as a page.")
    parser.add_argument("results", type=pathlib.Path, help="results.json")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="the page (beside the results)")
    chosen = parser.parse_args()
    try:
        results = json.loads(chosen.results.read_text(encoding="utf-8"))
        text = page(results)
    except (OSError, ValueError) as error:
        sys.exit(f"page.py: {chosen.results} can't be read: {error}")
    except (KeyError, TypeError, AttributeError) as error:
        sys.exit(f"page.py: {chosen.results} is no file of results: {type(error).__name__} {error}")
    (chosen.output or chosen.results.with_suffix(".html")).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
