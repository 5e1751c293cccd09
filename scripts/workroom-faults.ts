import {spawnSync} from "node:child_process"
import {existsSync} from "node:fs"
import {fileURLToPath} from "node:url"
import {parseArgs} from "node:util"

/**
 * `bun run workroom-faults [--kills 1000] [--flips 10000] [--commands 100000] [--seed <n>]`: the fault tests of the workroom's
 * stores, with more of each than in `bun run check`.
 */
const {values} = parseArgs({
  options: {
    kills: {type: "string", default: "1000"},
    flips: {type: "string", default: "10000"},
    commands: {type: "string", default: "100000"},
    seed: {type: "string"},
  },
})

const root = fileURLToPath(new URL("..", import.meta.url))
const node = `${root}node_modules/node24/bin/node`
const vitest = `${root}node_modules/.bin/vitest`
const files = ["contract/workroom-damage", "contract/workroom-model", "e2e/workroom-kill"]
const {status} = spawnSync(
  existsSync(node) ? node : process.execPath,
  [...(existsSync(node) ? [] : ["--bun"]), vitest, "run", ...files.map(file => `tests/${file}.test.ts`)],
  {
    cwd: root,
    stdio: "inherit",
    env: {
      ...process.env,
      SVC_TEST_BUN: process.execPath,
      SVC_WORKROOM_KILLS: values.kills,
      SVC_WORKROOM_FLIPS: values.flips,
      SVC_WORKROOM_COMMANDS: values.commands,
      ...(values.seed === undefined ? {} : {SVC_WORKROOM_SEED: values.seed}),
    },
  },
)
process.exit(status ?? 1)
