import {join} from "node:path"
import {keepLastGood} from "../../../server/recovery/last-good/store.ts"

/** A process that keeps a generation with this number in a folder, with a plugin whose text contains the number. */
const [folder = "", number = "0"] = process.argv.slice(2)

await keepLastGood(
  {lastGood: join(folder, "last-good")},
  {
    generation: Number(number),
    committedAt: 0,
    config: {text: `log_level: info # ${number}\n`},
    modules: [{name: "answers", module: join(folder, `answers-${number}.js`)}],
    version: "0.1.0",
    lockfile: "",
    schema: "[]",
  },
)
