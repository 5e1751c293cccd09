import {parseArgs} from "node:util"
import {runtimes, type TestRuntime} from "../../support/host/runtimes.ts"
import {type Figure, tableOf, verdictOf} from "../measure/figure.ts"
import {measureIrcFlood} from "./irc-flood.ts"
import {attackNames} from "./kinds.ts"
import {type Force, measureAttack} from "./measure.ts"

const all: Readonly<Record<string, (runtime: TestRuntime, force: Force) => Promise<readonly Figure[]>>> = {
  ...Object.fromEntries(attackNames.map(name => [name, (on, force) => measureAttack(name, on, force)])),
  "irc-flood": measureIrcFlood,
}
const names = Object.keys(all)

const usage = `bun run attacks [<attack> …] [options]

Attacks a Host and then the runtime's own bare server. Measures health during and after each attack, and memory after a
rest. Exits with 1 if a limit is missed: health p99 of 100 ms; memory within 10 % after 60 s; of malformed requests, no
more accepted than by the bare server, none with an invalid Host, and none answered with 5xx.

  ${names.join(", ")}

  --short          a tenth of each attack for 2 s, and 3 s of rest: memory has no limit then
  --seconds <n>    how long an attack lasts (default 8)
  --rest <n>       seconds until memory is measured (default 60)
  --scale <n>      the share of an attack's connections (default 1)
  --seed <n>       repeats the random choices of a run
  --on <runtime>   only this runtime: ${runtimes.map(({name}) => name).join(", ")}
  --json           print the figures as JSON

About 2.5 minutes for each attack and runtime. Node runs the bundle: bun run build makes it. Progress goes to stderr.
Needs 11,000 file descriptors (ulimit -n). Best on a machine that does nothing else.`

const {values, positionals} = parseArgs({
  allowPositionals: true,
  options: {
    help: {type: "boolean", short: "h", default: false},
    short: {type: "boolean", default: false},
    seconds: {type: "string"},
    rest: {type: "string"},
    scale: {type: "string"},
    seed: {type: "string"},
    on: {type: "string", multiple: true, default: runtimes.map(({name}) => name)},
    json: {type: "boolean", default: false},
  },
})

const fail = (message: string): never => {
  process.stderr.write(`attacks: ${message}\n`)
  process.exit(1)
}

const numberOf = (option: "seconds" | "rest" | "scale" | "seed", usual: number): number => {
  const number = Number(values[option] ?? usual)
  if (!(number >= 0) || !Number.isFinite(number)) fail(`--${option} must be a number of 0 or more`)
  return number
}

const main = async () => {
  if (values.help) return void process.stdout.write(`${usage}\n`)
  const unknown = positionals.find(name => !names.includes(name))
  if (unknown !== undefined) fail(`there is no attack "${unknown}"; there are ${names.join(", ")}`)
  const chosen = runtimes.filter(({name}) => values.on.includes(name))
  if (chosen.length === 0) fail(`--on must be one of ${runtimes.map(({name}) => name).join(", ")}`)
  const force = {
    seconds: numberOf("seconds", values.short ? 2 : 8),
    rest: numberOf("rest", values.short ? 3 : 60),
    scale: numberOf("scale", values.short ? 0.1 : 1),
    seed: numberOf("seed", Date.now() % 1_000_000),
  }
  process.stderr.write(`seed ${force.seed}\n`)
  const figures: Figure[] = []
  for (const [name, measure] of Object.entries(all)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue
    for (const runtime of chosen) {
      process.stderr.write(`${name} on ${runtime.name}\n`)
      figures.push(...(await measure(runtime, force)))
    }
  }
  const judged = figures.map(figure => ({...figure, verdict: verdictOf(figure)}))
  process.stdout.write(values.json ? `${JSON.stringify(judged, undefined, 2)}\n` : `${tableOf(figures)}\n`)
  const missed = judged.filter(({verdict}) => verdict === "short")
  if (missed.length > 0) fail(`${missed.length} limits missed; to repeat this run: --seed ${force.seed}`)
}

// `exit` runs the clean-up: it deletes the run's files and ends its processes.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1))
await main().catch(error => fail(error instanceof Error ? (error.stack ?? error.message) : String(error)))
process.exit(0)
