import {spawnSync} from "node:child_process"
import {existsSync} from "node:fs"
import {fileURLToPath} from "node:url"
import {parseArgs} from "node:util"

/**
 * `bun run model --histories 5000 [--seed <n>] [--runtime bun]`: the model tests of inbox and outbox, with as many random
 * histories of each as asked for, on Node 24 or on Bun.
 */
const {values} = parseArgs({
  options: {
    histories: {type: "string", default: "5000"},
    seed: {type: "string"},
    runtime: {type: "string", default: "node"},
  },
})

const root = fileURLToPath(new URL("..", import.meta.url))
const node = `${root}node_modules/node24/bin/node`
const onBun = values.runtime === "bun" || !existsSync(node)
const {status} = spawnSync(
  onBun ? process.execPath : node,
  [
    ...(onBun ? ["--bun"] : []),
    `${root}node_modules/.bin/vitest`,
    "run",
    "--project",
    "contract",
    ...(onBun ? ["--pool", "threads"] : []),
    "tests/contract/inbox-model.test.ts",
    "tests/contract/outbox-model.test.ts",
  ],
  {
    cwd: root,
    stdio: "inherit",
    env: {
      ...process.env,
      SVC_MODEL_HISTORIES: values.histories,
      ...(values.seed === undefined ? {} : {SVC_MODEL_SEED: values.seed}),
    },
  },
)
process.exit(status ?? 1)
