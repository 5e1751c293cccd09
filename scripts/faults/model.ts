import {parseArgs} from "node:util"
import {runTests} from "../tests/run-tests.ts"

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

runTests({
  files: ["contract/inbox/model", "contract/outbox/model"],
  env: {SVC_MODEL_HISTORIES: values.histories, SVC_MODEL_SEED: values.seed},
  ...(values.runtime === "bun" ? {onBun: true} : {}),
})
