import {spawnSync} from "node:child_process"
import {existsSync} from "node:fs"
import {fileURLToPath} from "node:url"

/** Everything that must hold before a change lands, in the order of cost; stops at the first that does not. */
const root = fileURLToPath(new URL("..", import.meta.url))
const bun = process.execPath
const node = `${root}node_modules/node24/bin/node`
const bin = (name: string) => `${root}node_modules/.bin/${name}`

/** The tests of what runs on Node run on Node, where the package for this platform has one. */
const onNode: readonly string[] = existsSync(node) ? [node] : [bun, "--bun"]

/** What differs by runtime, beside the unit tests. */
const onBoth = ["tests/contract/database", "tests/contract/faulty-handlers", "tests/contract/event-stream-model"]

const steps: readonly (readonly [string, readonly string[]])[] = [
  ["format and lint", [bun, bin("biome"), "check", "--error-on-warnings", "."]],
  ["types", [bun, bin("tsc"), "-p", "."]],
  ["lockfile", [bun, "scripts/lockfile.ts", "--check"]],
  ["build", [bun, "scripts/build.ts"]],
  ["reference", [bun, "scripts/reference.ts", "--check"]],
  ["tests", [...onNode, bin("vitest"), "run", ...process.argv.slice(2)]],
  ["unit tests on Bun", [bun, "--bun", bin("vitest"), "run", "--project", "unit", "--pool", "threads"]],
  ["contracts on Bun", [bun, "--bun", bin("vitest"), "run", "--pool", "threads", ...onBoth]],
]

for (const [name, [command = "", ...args]] of steps) {
  const start = performance.now()
  const {status} = spawnSync(command, args, {cwd: root, stdio: "inherit", env: {...process.env, SVC_TEST_BUN: bun}})
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  process.stdout.write(`${status === 0 ? "passed" : "FAILED"}: ${name} (${seconds} s)\n`)
  if (status !== 0) process.exit(status ?? 1)
}
