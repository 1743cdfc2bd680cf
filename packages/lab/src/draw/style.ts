import { looks, neutral } from './palette.js';

/** The solvers' colours are attributes of the plots, which a style sheet can override: brighter ones on a dark page. */
const darkPlots = [...Object.values(looks), neutral]
  .map(({ colour, dark }) => `svg [stroke="${colour}"]{stroke:${dark}}svg [fill="${colour}"]{fill:${dark}}`)
  .join('\n  ');

/** The style sheet of the page. */
export const style = `
:root {
  color-scheme: light dark;
  --page: #fdfdfb; --ink: #1e2024; --quiet: #5d636d; --line: #d9dadd; --card: #f4f4f1; --link: #0b5cad;
  --confirmed: #11703c; --partly: #8a5a00; --not: #b3261e;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #15171b; --ink: #dfe2e6; --quiet: #9aa1ab; --line: #353a42; --card: #1d2025; --link: #7cb8f5;
    --confirmed: #5fce8f; --partly: #eab54c; --not: #ff8a80;
  }
}
@media screen and (prefers-color-scheme: dark) {
  ${darkPlots}
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0 auto; padding: 2.5rem 1.25rem 4rem; max-width: 1140px; background: var(--page); color: var(--ink);
  font: 1.0625rem/1.55 Charter, "Bitstream Charter", "Sitka Text", Cambria, Georgia, serif; overflow-wrap: break-word;
}
h1, h2, h3 { line-height: 1.2; font-weight: 600; text-wrap: balance; }
h1 { font-size: 2.1rem; margin: 0 0 1rem; }
h2 { font-size: 1.5rem; margin: 0 0 .75rem; }
h3 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p, header p, ul { max-width: 44rem; margin: .6rem 0; }
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: 2px; }
nav { margin: 1.75rem 0; font: .95rem/1.5 var(--sans); }
nav ol { margin: 0; padding: 0; list-style: none; columns: 18rem 3; column-gap: 2rem; }
nav li { break-inside: avoid; padding: .15rem 0; }
nav small, .paper, figcaption, caption, footer, .label { color: var(--quiet); }
section { margin: 2.5rem 0 0; padding-top: 2rem; border-top: 1px solid var(--line); }
.paper { font: .85rem/1.4 var(--sans); letter-spacing: .02em; margin: 0 0 .2rem; }
.note { max-width: 44rem; background: var(--card); border-left: 3px solid var(--quiet); padding: .6rem 1rem; margin: 1rem 0; font-size: .97rem; }
.note ul { margin: .3rem 0; padding-left: 1.2rem; }
.count { font: 600 1.15rem/1.4 var(--sans); }
footer { margin-top: 3rem; border-top: 1px solid var(--line); font-size: .9rem; }

.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 15rem), 1fr)); gap: .7rem 1.5rem; margin: 1.2rem 0; font-family: var(--sans); }
.facts dt { font-size: .8rem; line-height: 1.35; color: var(--quiet); }
.facts dd { margin: 0; font-size: .95rem; line-height: 1.4; font-variant-numeric: tabular-nums; }

.row { display: grid; gap: 1.25rem 1.5rem; margin: 1.2rem 0; align-items: start; }
.plots { grid-template-columns: repeat(auto-fill, minmax(min(100%, 20.5rem), 1fr)); }
.pictures { grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); }
.allocations { grid-template-columns: repeat(auto-fit, minmax(min(100%, 31rem), 1fr)); }
.row.tables { display: flex; flex-wrap: wrap; }
.tables > * { max-width: 100%; }
.tables > .plot, .tables > .facts { flex: 1 1 20.5rem; }
.tables > .column { flex: 1 1 30rem; min-width: 0; }
.column > .scroll:first-child { margin-top: 0; }
.row > * { min-width: 0; }
figure { margin: 0; }
figcaption { font: .85rem/1.4 var(--sans); margin-top: .35rem; }
figcaption b { color: var(--ink); }
.plot { max-width: min(100%, 28rem); }
.plot svg { display: block; width: 100%; height: auto; color: inherit; }
.plot .background { fill: none; }
.pictures figure { max-width: 34rem; }
img { display: block; width: 100%; height: auto; }
.pixels { image-rendering: pixelated; }
.file { font: .75rem/1 var(--sans); white-space: nowrap; }

.patch { display: flex; flex-wrap: wrap; align-items: flex-end; gap: .4rem; margin-bottom: 1rem; }
.tile { width: 4.1rem; font: .75rem/1.3 var(--sans); text-align: center; font-variant-numeric: tabular-nums; }
.tile span { display: block; white-space: nowrap; }
.atom { width: 2.8rem; }
.tile img { outline: 1px solid var(--line); }
.sum { font: 1.1rem/4.1rem var(--sans); color: var(--quiet); }

.scroll { overflow-x: auto; margin: 1.2rem 0; }
.tables > .scroll { margin: 0; }
table { border-collapse: collapse; font: .8rem/1.4 var(--sans); font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: .35rem; max-width: 44rem; }
th, td { padding: .22rem .38rem; text-align: left; vertical-align: baseline; font-weight: 400; border-bottom: 1px solid var(--line); }
thead th { font-weight: 600; border-bottom: 1.5px solid var(--quiet); vertical-align: bottom; }
.scroll td, .scroll th { white-space: nowrap; }
.number { text-align: right; }
.scroll tbody th:first-child { position: sticky; left: 0; background: var(--page); }
.best { border: 1.5px solid currentColor; border-radius: 2px; padding: 0 .2rem; margin: 0 calc(-.2rem - 1.5px); font-weight: 650; }

.verdicts { width: 100%; font-size: .85rem; }
.verdicts td, .verdicts th { padding: .6rem .8rem .6rem 0; vertical-align: top; }
.verdicts tbody th { width: 40%; font-size: .95rem; }
.verdicts small { display: block; margin-top: .25rem; font-size: .78rem; line-height: 1.4; color: var(--quiet); }
.verdicts .label { display: none; }
.outcome { white-space: nowrap; font: 600 .85rem/1.4 var(--sans); }
.confirmed { color: var(--confirmed); }
.partly { color: var(--partly); }
.not { color: var(--not); }
.claims { list-style: none; padding: 0; max-width: 56rem; }
.claims li { display: grid; grid-template-columns: 8.5rem 1fr; gap: 0 .75rem; margin: .5rem 0; align-items: baseline; }
.claims .measured { display: block; font: .85rem/1.45 var(--sans); color: var(--quiet); }

@media screen and (max-width: 720px) {
  body { padding: 1.5rem 1rem 3rem; font-size: 1rem; }
  h1 { font-size: 1.7rem; }
  .verdicts, .verdicts tbody, .verdicts tr, .verdicts td, .verdicts tbody th, .verdicts caption { display: block; width: auto; }
  .verdicts thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .verdicts tr { padding: .7rem 0; border-bottom: 1px solid var(--line); }
  .verdicts td, .verdicts tbody th { border: 0; padding: .1rem 0; }
  .verdicts .label { display: inline; }
  .claims li { grid-template-columns: 1fr; }
}
@media print {
  :root { --page: #fff; --ink: #000; --quiet: #444; --line: #bbb; --card: #f4f4f4; --link: #000; --confirmed: #11703c; --partly: #8a5a00; --not: #b3261e; }
  @page { margin: 15mm; }
  html { font-size: 9.5pt; }
  body { padding: 0; max-width: none; }
  .experiment { break-before: page; border: 0; padding: 0; margin: 0; }
  .row { break-inside: auto; }
  figure, tr, .facts div, .claims li { break-inside: avoid; }
  h2, h3, caption { break-after: avoid; }
  .plots { grid-template-columns: repeat(2, 1fr); }
  .pictures { grid-template-columns: repeat(3, 1fr); }
  .tables > *, .tables > .scroll { margin-bottom: 1.2rem; }
  .row.tables { display: block; }
  .plot { max-width: 8.5cm; }
  .scroll { overflow: visible; }
  .scroll tbody th:first-child { position: static; }
  .scroll td, .scroll th { padding: .1rem .3rem; }
  nav, .file { display: none; }
  a { text-decoration: none; }
}
`;
