import {type ChildProcess, spawn, spawnSync} from "node:child_process"
import {existsSync} from "node:fs"
import {availableParallelism} from "node:os"
import {join} from "node:path"
import {parseArgs} from "node:util"
import {root} from "../root.ts"
import {node, testEnvironment, vitest} from "./programs.ts"

const usage = `bun run unsteady [--runs <n>] [--test <name>] [--load <n>] <file>

Runs one test file again and again beside busy loops, and prints how often it failed, with what each failure printed.

  --runs <n>     (default 20)
  --test <name>  only tests whose name contains this
  --load <n>     busy loops beside it (default: one for each core)
  --keep-going   continue after every failure (default: stop at the third)

It exits with 1 if a run failed. Run bun run build first: the tests start the bundles.`

const {values, positionals} = parseArgs({
  allowPositionals: true,
  options: {
    help: {type: "boolean", short: "h", default: false},
    runs: {type: "string", default: "20"},
    test: {type: "string"},
    load: {type: "string", default: String(availableParallelism())},
    "keep-going": {type: "boolean", default: false},
  },
})

const fail = (message: string): never => {
  process.stderr.write(`unsteady: ${message}\n`)
  process.exit(1)
}

const wholeNumber = (option: string, text: string, least: number): number => {
  const number = Number(text)
  return Number.isInteger(number) && number >= least
    ? number
    : fail(`--${option} must be a whole number of at least ${least}`)
}

const print = (text: string) => process.stdout.write(`${text}\n`)

/** Keeps cores busy until the returned function is called. */
const startLoad = (loops: number): (() => void) => {
  const running: ChildProcess[] = Array.from({length: loops}, () => spawn(node, ["-e", "for (;;);"], {stdio: "ignore"}))
  const end = () => {
    for (const loop of running) loop.kill("SIGKILL")
  }
  process.on("exit", end)
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1))
  return end
}

/** The number of failures after which the search stops. */
const enough = 3

const main = (): number => {
  if (values.help) {
    print(usage)
    return 0
  }
  const [file] = positionals
  if (file === undefined || positionals.length > 1) return fail("name exactly one test file")
  if (!existsSync(join(root, file))) return fail(`there is no ${file}`)
  const runs = wholeNumber("runs", values.runs, 1)
  const endLoad = startLoad(wholeNumber("load", values.load, 0))
  const only = values.test === undefined ? [] : ["-t", values.test]
  const [command = "", ...args] = [...vitest, file, ...only]
  let done = 0
  let failed = 0
  while (done < runs && (failed < enough || values["keep-going"])) {
    const start = performance.now()
    const {status, stdout, stderr} = spawnSync(command, args, {cwd: root, encoding: "utf8", env: testEnvironment})
    done++
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    print(`run ${done} of ${runs}: ${status === 0 ? "passed" : "FAILED"} (${seconds} s)`)
    if (status === 0) continue
    failed++
    print(`${stdout}${stderr}`)
  }
  endLoad()
  print(`${file}: ${failed} of ${done} runs failed`)
  return failed === 0 ? 0 : 1
}

process.exit(main())
