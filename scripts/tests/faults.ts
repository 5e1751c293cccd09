import {parseArgs} from "node:util"
import {faults, isFaultName} from "../faults/table.ts"
import {runTests} from "./run-tests.ts"

const list = Object.entries(faults)
  .map(
    ([name, {what, unit, suite, long}]) =>
      `  ${name.padEnd(20)}${suite ?? "as many as fit into 8 s"} / ${long} ${unit}\n${" ".repeat(22)}${what}`,
  )
  .join("\n")

const usage = `bun run faults <test> [--rounds <n>] [--seed <n>] [--on bun]

Runs the long form of a fault test. The same seed repeats the test's choices, but their timing depends on the machine.

  --rounds <n>   instead of the rounds below
  --seed <n>     as a failed run has printed it
  --on bun       the test itself runs on Bun (default: Node 24)

The tests, with their rounds in bun run check / here:

${list}`

const {values, positionals} = parseArgs({
  allowPositionals: true,
  options: {
    help: {type: "boolean", short: "h", default: false},
    rounds: {type: "string"},
    seed: {type: "string"},
    on: {type: "string"},
  },
})

const fail = (message: string): never => {
  process.stderr.write(`faults: ${message}\n`)
  process.exit(1)
}

if (values.help || positionals.length === 0) {
  process.stdout.write(`${usage}\n`)
  process.exit(0)
}
const [name = "", ...others] = positionals
if (!isFaultName(name)) fail(`there is no fault test "${name}"; bun run faults lists them`)
else if (others.length > 0) fail("name only one test")
else {
  const rounds = Number(values.rounds ?? faults[name].long)
  if (!Number.isInteger(rounds) || rounds < 1) fail("--rounds must be a whole number above 0")
  if (values.seed !== undefined && !Number.isInteger(Number(values.seed))) fail("--seed must be a whole number")
  if (values.on !== undefined && values.on !== "bun" && values.on !== "node") fail('--on must be "bun" or "node"')
  runTests({
    files: faults[name].files,
    env: {SVC_FAULT: name, SVC_FAULT_ROUNDS: String(rounds), SVC_FAULT_SEED: values.seed},
    ...(values.on === "bun" ? {onBun: true} : {}),
  })
}
