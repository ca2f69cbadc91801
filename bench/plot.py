"""A ratio of each input as a bar from 1 on, on a logarithmic axis: an SVG that takes its colours from the page."""

import html
import math

from record import number

LABEL, BARS, VALUE = 256, 256, 48  # widths
LINE, HEAD = 17, 22  # heights
FINE = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.5, 1.8, 2, 2.5, 3, 4, 5]
COARSE = [digit * 10.0**power for power in range(-6, 7) for digit in (1, 2, 5)]
LETTERS = 36  # that fit beside a bar


def escape(text):
    return html.escape(str(text), quote=True)


class Axis:
    """Numbers to places, so that all values, 1 and the targets are on it."""

    def __init__(self, values):
        values = [*values, 1.0]
        self.low, self.high = math.log(min(values) / 1.12), math.log(max(values) * 1.12)

    def at(self, value):
        return LABEL + BARS * (math.log(value) - self.low) / (self.high - self.low)

    def ticks(self):
        """At least 34 apart."""
        inside = lambda numbers: [value for value in numbers if self.low <= math.log(value) <= self.high]
        candidates = inside(COARSE) if self.high - self.low > math.log(6) else inside(FINE)
        chosen = [1.0]
        for value in candidates:
            if all(abs(self.at(value) - self.at(other)) >= 34 for other in chosen):
                chosen.append(value)
        return sorted(chosen)


def shortened(text):
    """Both ends: inputs may differ in the last number only."""
    return text if len(text) <= LETTERS else f"{text[:LETTERS // 2]}…{text[1 - LETTERS // 2:]}"


def bar(axis, y, name, value, better, kind=""):
    is_good = value <= 1 if better == "lower" else value >= 1
    left, right = sorted((axis.at(1), axis.at(value)))
    title = f"{name}: {number(value)}"
    return (f'<g class="{"good" if is_good else "bad"}{kind}"><title>{escape(title)}</title>'
            f'<text class="label" x="{LABEL - 8}" y="{y + 12}">{escape(shortened(name))}</text>'
            f'<rect x="{left:.1f}" y="{y + 3}" width="{max(right - left, 1):.1f}" height="{LINE - 6}"/>'
            f'<text class="value" x="{LABEL + BARS + VALUE - 4}" y="{y + 12}">{escape(number(value))}</text></g>')


def plot(table, ratio):
    """`ratio`: one of the table's."""
    cases = [(row["input"], row["ratios"][ratio["name"]]) for row in table["rows"] if ratio["name"] in row["ratios"]]
    cases = [(name, value) for name, value in cases if value and value > 0]
    if not cases:
        return ""
    targets = [target for target in table["targets"] if target["column"] == ratio["name"]]
    axis = Axis([value for _, value in cases] + [target["wanted"] for target in targets])
    lines = len(cases) + (len(cases) > 1)
    width, height = LABEL + BARS + VALUE, HEAD + LINE * lines + 8
    parts = [f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(ratio["name"])} per input">']
    for value in axis.ticks():
        x = f"{axis.at(value):.1f}"
        parts.append(f'<line class="{"one" if value == 1 else "tick"}" x1="{x}" x2="{x}" y1="{HEAD - 4}" y2="{height}"/>'
                     f'<text class="tick" x="{x}" y="{HEAD - 9}">{value:g}</text>')
    for target in targets:
        x = f"{axis.at(target['wanted']):.1f}"
        parts.append(f'<line class="target" x1="{x}" x2="{x}" y1="{HEAD - 4}" y2="{height}"><title>'
                     f'{escape(target["statistic"])} {escape(target["direction"])} {target["wanted"]:g}</title></line>')
    for k, (name, value) in enumerate(cases):
        parts.append(bar(axis, HEAD + LINE * k, name, value, ratio["better"]))
    if len(cases) > 1:
        parts.append(bar(axis, HEAD + LINE * len(cases) + 4, "geometric mean", ratio["geometric mean"],
                         ratio["better"], " mean"))
    return "".join(parts) + "</svg>"
