#pragma once

/// The look of a page that --report writes, and its script: without the script every link still works.
namespace unravel::tool {

inline constexpr const char *report_style = R"(
:root { --ink: #1d1d1b; --paper: #ffffff; --quiet: #5c5c58; --plain: #f4f4f1; --edge: #b8b8b2; --link: #1f4fa3;
  --lit: #fff3b0; --parallel: #1c7a3d; --reduction: #9a6700; --carried: #b3261e; --find: #2f56a8; --other: #77776f;
  --entry1: #a9b7c6; --entry2: #6d8199; --entry3: #34475c; --entry4: #0d141c; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e6e1; --paper: #191a1c; --quiet: #a8a69f; --plain: #232528; --edge: #54565a; --link: #9cbcff;
    --lit: #4b4318; --parallel: #5fc983; --reduction: #e0ab3c; --carried: #ff8a80; --find: #8fb0ff; --other: #8e8e86;
    --entry1: #4a5866; --entry2: #7b8fa5; --entry3: #b3c3d3; --entry4: #f2f6fa; }
}
* { box-sizing: border-box; }
html { color-scheme: light dark; scroll-padding-top: 1em; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 90em; margin: 1.5em auto; padding: 0 1em; color: var(--ink);
  background: var(--paper); }
h1 { font: bold 1.25em/1.4 ui-monospace, monospace; overflow-wrap: anywhere; margin: .4em 0; }
h2 { font-size: 1.2em; margin: 2em 0 .5em; border-bottom: 1px solid var(--edge); } h3 { font-size: 1em; margin: 1.2em 0 .3em; }
p { max-width: 70em; margin: .5em 0; }
a { color: var(--link); }
pre, code { font: 13px/1.45 ui-monospace, monospace; }
pre { overflow-x: auto; background: var(--plain); padding: .8em; margin: .5em 0; }
nav a { margin-right: 1.2em; white-space: nowrap; }
.note { color: var(--quiet); } .wide { overflow-x: auto; }
table { border-collapse: collapse; } caption { text-align: left; padding: .6em 0 .2em; color: var(--quiet); }
td, th { padding: .15em .8em; text-align: right; font-weight: normal; white-space: nowrap; }
thead th { border-bottom: 1px solid var(--edge); color: var(--quiet); }
tbody th, .words, thead th:first-child { text-align: left; }
.holds { color: var(--parallel); } .fails { color: var(--carried); }
dt { float: left; clear: left; color: var(--quiet); margin-right: .8em; } dd { margin: 0; overflow-wrap: anywhere; }
.plain { list-style: none; padding: 0; }
.plain li, .constraints li { padding: .1em .3em; }
.constraints { list-style: none; padding-left: 1em; } .constraints .note { margin-left: 1.5em; }
.key span { border-left-width: 6px; border-left-style: solid; padding: 0 1.2em 0 .4em; white-space: nowrap; }
.parallel { border-color: var(--parallel); } .reduction { border-color: var(--reduction); }
.carried { border-color: var(--carried); } .find { border-color: var(--find); }
.let, .loop, .guard, .statement, .access, .choice { border-color: var(--other); }
article { border-left: 4px solid var(--edge); padding-left: .8em; margin: 1em 0; }
article h3 { margin-top: 0; }

.nest { display: flex; overflow-x: auto; margin: .6em 0; }
.arrows { flex: none; }
.rows { list-style: none; margin: 0; padding: 0; flex: 1 0 auto; }
.rows li { height: 28px; line-height: 27px; white-space: nowrap; border-left-width: 6px; border-left-style: solid;
  border-bottom: 1px solid var(--paper); padding-right: 1em; background: var(--plain); }
.rows .let, .rows .guard, .rows .statement, .rows .access { border-left-style: double; }
.tag { display: inline-block; font-size: 12px; color: var(--quiet); margin-right: .8em; }
.parallel .tag, .reduction .tag, .carried .tag, .find .tag { font-weight: bold; }
.parallel .tag { color: var(--parallel); } .reduction .tag { color: var(--reduction); }
.carried .tag { color: var(--carried); } .find .tag { color: var(--find); }
.rows .why, .rows .note, .rows li > a { margin-left: 1.4em; font-size: 13px; }
.dependence path, .dependence circle { fill: none; stroke: var(--carried); stroke-width: 1.6; }
.dependence .head, .dependence circle { fill: var(--carried); }
.dependence.update path, .dependence.update circle { stroke: var(--reduction); }
.dependence.update .head, .dependence.update circle { fill: var(--reduction); }
.dependence.anti .line { stroke-dasharray: 6 3; } .dependence.output .line { stroke-dasharray: 2 3; }
.dependence path.by { stroke-dasharray: 1 3; } .dependence path.halo { stroke: transparent; stroke-width: 9; }
.dependence text { font: 11px ui-monospace, monospace; fill: var(--ink); text-anchor: middle; }
.dependence:hover .line, .dependence:focus .line, .dependence.lit .line { stroke-width: 3.2; }
.dependence:focus { outline: none; } .dependence:focus text { text-decoration: underline; }

.code { display: grid; grid-template-columns: minmax(0, 1fr) minmax(16em, 26em); gap: 1em; align-items: start; }
.code pre { padding: .8em 0; margin: 0; }
.line { display: block; width: max-content; min-width: 100%; padding-right: 1em; border-left: 4px solid transparent;
  color: inherit; text-decoration: none; }
.line.made { border-left-color: var(--other); }
.line.parallel { border-color: var(--parallel); } .line.reduction { border-color: var(--reduction); }
.line.carried { border-color: var(--carried); } .line.find { border-color: var(--find); }
.line .number, .line .of { color: var(--quiet); user-select: none; padding-right: 1em; }
.made:hover .of, .made:focus .of { text-decoration: underline; }
#about { position: sticky; top: 1em; max-height: 90vh; overflow: auto; background: var(--plain); padding: .2em .8em;
  border-left: 4px solid var(--edge); font-size: 14px; overflow-wrap: anywhere; }
#about ul { padding-left: 1.2em; margin: .3em 0; }
@media (max-width: 60em) { .code { grid-template-columns: minmax(0, 1fr); }
  #about { top: auto; bottom: 0; max-height: 40vh; } }
a.span { color: inherit; text-decoration: underline dotted; } details { margin: .6em 0; } summary { cursor: pointer; }
.lit, .rows li.lit, :target { background: var(--lit); }

.spy { max-width: 100%; height: auto; background: var(--paper); }
.frame { fill: none; stroke: var(--other); }
.entries1 { fill: var(--entry1); } .entries2 { fill: var(--entry2); } .entries3 { fill: var(--entry3); }
.entries4 { fill: var(--entry4); }
.hit { fill: var(--parallel); fill-opacity: .22; stroke: var(--parallel); stroke-width: .8; }
.miss { fill: var(--carried); fill-opacity: .12; stroke: var(--carried); stroke-width: .5; stroke-dasharray: 2 2; }
@media print { .code { display: block; } #about { display: none; } pre { white-space: pre-wrap; } }
)";

/// Lights up what belongs together, in both directions, and lists beside the C what a line was made for.
inline constexpr const char *report_script = R"(
(function () {
  const linked = Array.from(document.querySelectorAll('[data-to]'));
  const about = document.getElementById('about');
  const targets = (element) => element.dataset.to.split(' ').filter((id) => id !== '');
  const byId = (id) => document.getElementById(id);
  function list(element) {
    const items = document.createElement('ul');
    targets(element).map(byId).filter((place) => place !== null).forEach((place) => {
      const item = document.createElement('li'), link = document.createElement('a');
      link.href = '#' + place.id;
      link.textContent = place.dataset.label || place.textContent;
      item.append(link);
      items.append(item);
    });
    const title = document.createElement('p');
    title.textContent = 'Line ' + element.id.slice(1) + ' was made for';
    about.replaceChildren(title, items);
  }
  function show(element) {
    document.querySelectorAll('.lit').forEach((each) => each.classList.remove('lit'));
    const together = targets(element).map(byId);
    linked.forEach((each) => { if (element.id !== '' && targets(each).includes(element.id)) together.push(each); });
    together.concat([element]).forEach((each) => { if (each !== null) each.classList.add('lit'); });
    if (element.classList.contains('line')) list(element);
  }
  linked.forEach((element) => {
    element.addEventListener('mouseenter', () => show(element));
    element.addEventListener('focusin', () => show(element));
  });
})();
)";

} // namespace unravel::tool
