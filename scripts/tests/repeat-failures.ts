import {repeatFailures} from "./repeat.ts"

/** `bun scripts/tests/repeat-failures.ts <folder>`: the last step of a run whose steps left their failures in a folder. */
const [folder] = process.argv.slice(2)
if (folder === undefined) {
  process.stderr.write("the folder with the failures is missing\n")
  process.exit(1)
}
process.exit(repeatFailures(folder) ? 0 : 1)
