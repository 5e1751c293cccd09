import {join} from "node:path"
import {keepLastGood} from "../../../server/recovery/last-good/store.ts"

/** Keeps a generation with this number in a folder, with a plugin whose text contains the number. */
export const keepGeneration = (folder: string, number: number): Promise<void> =>
  keepLastGood(
    {lastGood: join(folder, "last-good")},
    {
      generation: number,
      committedAt: 0,
      config: {text: `log_level: info # ${number}\n`},
      modules: [{name: "answers", module: join(folder, `answers-${number}.js`)}],
      version: "0.1.0",
      lockfile: "",
      schema: "[]",
    },
  )

/** As a process that may be killed, it gets the folder and the number. */
const [script = "", folder = "", number = "0"] = process.argv.slice(1)
if (script === import.meta.filename) await keepGeneration(folder, Number(number))
