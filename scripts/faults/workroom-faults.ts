import {parseArgs} from "node:util"
import {runTests} from "../tests/run-tests.ts"

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

runTests({
  files: ["contract/workroom/damage", "contract/workroom/model", "e2e/workroom/kill"],
  env: {
    SVC_WORKROOM_KILLS: values.kills,
    SVC_WORKROOM_FLIPS: values.flips,
    SVC_WORKROOM_COMMANDS: values.commands,
    SVC_WORKROOM_SEED: values.seed,
  },
})
