"""The results of a benchmark that is a Python script, as bench/report.h has them: a table that is printed by the
script and written as JSON, which page.py makes a page of."""

import json
import os
import statistics

STATISTICS = {"geometric mean": statistics.geometric_mean, "median": statistics.median, "least": min, "greatest": max}


class Table:
    def __init__(self, name, title, unit, threads):
        load = os.getloadavg()[0]
        self.json = {"name": name, "title": title, "unit": unit, "threads": threads, "load": [load, load],
                     "columns": [], "ratios": [], "rows": [], "targets": []}

    def row(self, input_name, entries, figures, ratios, notes=None):
        self.json["load"][1] = os.getloadavg()[0]
        self.json["columns"] += [name for name in figures if name not in self.json["columns"]]
        self.json["rows"].append({"input": input_name, "entries": entries, "figures": figures, "ratios": ratios,
                                  "notes": notes or {}})

    def compare(self, ratio, better, targets=()):
        """To be called after the last row; targets are pairs of a statistic and what is wanted of it."""
        cases = [(row["ratios"][ratio], row["input"]) for row in self.json["rows"] if ratio in row["ratios"]]
        values = [value for value, _ in cases]
        direction = "at most" if better == "lower" else "at least"
        if cases:
            self.json["ratios"].append({"name": ratio, "better": better, "cases": len(cases)} |
                                       {name: of(values) for name, of in STATISTICS.items() if name != "median"})
        for statistic, wanted in targets:
            reached = STATISTICS[statistic](values) if cases else None
            met = None if reached is None else reached <= wanted if better == "lower" else reached >= wanted
            place = dict(cases).get(reached, "") if statistic in ("least", "greatest") else ""
            self.json["targets"].append({"name": f"{ratio}, {statistic}", "column": ratio, "statistic": statistic,
                                         "direction": direction, "wanted": wanted, "reached": reached,
                                         "input": place, "met": met})
            if cases:
                print(f"{ratio}: {statistic} {reached:.2f} (target {direction} {wanted:g}: "
                      f"{'met' if met else 'missed'})")


def write(file, program, tables):
    with open(file, "w", encoding="utf-8") as stream:
        json.dump({"program": program, "tables": [table.json for table in tables]}, stream, indent=1)
        stream.write("\n")
