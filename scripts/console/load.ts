import {parseArgs} from "node:util"
import {chromium} from "playwright-core"
import {startBusyBot} from "../../tests/bench/console/busy-bot.ts"
import {quiet, storms} from "../../tests/bench/console/live.ts"
import {scrolling} from "../../tests/bench/console/scroll.ts"
import {openTab} from "../../tests/bench/console/tab.ts"
import {tableOf, verdictOf} from "../../tests/bench/measure/figure.ts"
import {runtimes} from "../../tests/support/host/runtimes.ts"

const usage = `bun run console-load [--on <runtime>] [--rows <n>] [--endpoints <n>] [--seconds <n>] [--page <name>] [--json]

The console in Chromium, in front of a real Host with many inbox events and endpoints: how long its tasks take while it is
scrolled, how soon it shows an event, and how much memory it uses while hundreds of events arrive.

  --on <name>       only this runtime: bun, node22, node24 (default: bun and node24)
  --rows <n>        inbox events (default 10000)
  --endpoints <n>   (default 200)
  --rate <n>        events a second (default 100)
  --seconds <n>     how long they arrive (default 60)
  --page <name>     only on this page: overview, inbox, endpoints, events; none for no storm
  --json            print the figures as JSON

Node runs the bundle, so run bun run build first. It exits with 1 if a figure misses its limit.`

const {values} = parseArgs({
  options: {
    help: {type: "boolean", short: "h", default: false},
    on: {type: "string", multiple: true, default: ["bun", "node24"]},
    rows: {type: "string", default: "10000"},
    endpoints: {type: "string", default: "200"},
    rate: {type: "string", default: "100"},
    seconds: {type: "string", default: "60"},
    page: {type: "string", multiple: true, default: ["overview", "inbox", "endpoints", "events"]},
    json: {type: "boolean", default: false},
  },
})
if (values.help) {
  process.stdout.write(`${usage}\n`)
  process.exit(0)
}
const rows = Number(values.rows)
const endpoints = Number(values.endpoints)
const load = {rate: Number(values.rate), seconds: Number(values.seconds)}

let isShort = false
for (const runtime of runtimes.filter(({name}) => values.on.includes(name))) {
  const bot = await startBusyBot(runtime, endpoints)
  await bot.hear(rows)
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-background-networking"],
  })
  const tab = await openTab(browser, bot.url)
  const figures = [
    ...(await scrolling(tab, rows, endpoints)),
    await quiet(bot, tab, 100),
    ...(await storms(bot, tab, load, values.page)),
  ]
  await browser.close()
  await bot.host.stop()
  const text = values.json
    ? JSON.stringify(figures.map(figure => ({runtime: runtime.name, ...figure, verdict: verdictOf(figure)})))
    : `# a Host on ${runtime.name}\n\n${tableOf(figures)}\n`
  process.stdout.write(`${text}\n`)
  isShort ||= figures.some(figure => verdictOf(figure) === "short")
}
process.exit(isShort ? 1 : 0)
