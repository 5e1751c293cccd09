import {createHash} from "node:crypto"
import {type StatusPage, type UptimeSpan, uptimeSpans} from "../../../shared/api/metrics/status-page.ts"
import {type Language, texts} from "./status-texts.ts"

const style = `
:root{color-scheme:light dark;--text:#1c2024;--dim:#5b636b;--page:#f6f7f8;--card:#fff;--line:#d9dde1;--up:#17663a;--down:#b3261e;--paused:#7a5200}
@media(prefers-color-scheme:dark){:root{--text:#e8eaed;--dim:#a6adb5;--page:#14171a;--card:#1d2125;--line:#343a40;--up:#6fd698;--down:#ff9a90;--paused:#f0c060}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:44rem;margin:0 auto;padding:1.5rem 1rem}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .5rem}
h2{font-size:1.05rem;margin:0;min-width:0;flex:1 1 12rem}
p{margin:0}
.overall{font-size:1.15rem;font-weight:600}
.note{margin-top:.75rem;white-space:pre-line}
.state{font-weight:600}
.state::before{content:"";display:inline-block;width:.65em;height:.65em;margin-inline-end:.45em;border-radius:50%;background:currentColor}
.down::before,.partly-down::before{border-radius:0}
.paused::before,.starting::before{border-radius:0;width:.3em}
.up{color:var(--up)}.down,.partly-down{color:var(--down)}.paused,.starting{color:var(--paused)}
ul{list-style:none;margin:1.25rem 0;padding:0;display:grid;gap:.75rem}
li{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.75rem 1rem}
.head{display:flex;flex-wrap:wrap;gap:.25rem 1rem;align-items:baseline;justify-content:space-between}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(6.5rem,1fr));gap:.25rem .75rem;margin:.6rem 0 0}
dt,footer{color:var(--dim);font-size:.875rem}
dd{margin:0;font-variant-numeric:tabular-nums}
a{color:inherit}
footer{display:grid;gap:.25rem}
`

/** No scripts, nothing from elsewhere, and only the page's own style, by its hash. */
export const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ")

/** Renders the status page in a language. It works without scripts and shows only its arguments. */
export const renderPage = (page: StatusPage, language: Language): string => {
  const t = texts[language]
  const title = escapeHtml(page.title)
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}: ${t.overall[page.state]}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
<h1 dir="auto">${title}</h1>
<p class="overall state ${page.state.replaceAll(" ", "-")}">${t.overall[page.state]}</p>
${page.note === null ? "" : `<p class="note" dir="auto">${escapeHtml(page.note)}</p>\n`}<ul>
${page.labels.map(label => renderLabel(label, language)).join("\n")}
</ul>
<footer>
<p>${t.counted}</p>
<p>${t.asOf} <time datetime="${page.at}">${timeText(page.at, language)}</time></p>
<p><a href="status.json">${t.asJson}</a></p>
</footer>
</main>
</body>
</html>
`
}

const renderLabel = ({label, state, uptime}: StatusPage["labels"][number], language: Language): string => {
  const t = texts[language]
  const spans = (Object.keys(uptimeSpans) as UptimeSpan[]).map(span => {
    const share = uptime[span]
    return `<div><dt>${t.spans[span]}</dt><dd>${share === null ? t.unknown : shareText(share, language)}</dd></div>`
  })
  return `<li>
<div class="head"><h2 dir="auto">${escapeHtml(label)}</h2><p class="state ${state}">${t.states[state]}</p></div>
<dl aria-label="${t.uptime}">${spans.join("")}</dl>
</li>`
}

/** Rounds down: only a subject that was never down shows 100 %. */
export const shareText = (share: number, language: Language): string =>
  new Intl.NumberFormat(language, {style: "percent", maximumFractionDigits: 2}).format(
    Math.floor(share * 10_000 + 1e-6) / 10_000,
  )

const timeText = (time: string, language: Language): string =>
  `${new Intl.DateTimeFormat(language, {dateStyle: "medium", timeStyle: "medium", timeZone: "UTC"}).format(new Date(time))} UTC`

const entities: Readonly<Record<string, string>> = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, sign => entities[sign] ?? sign)
