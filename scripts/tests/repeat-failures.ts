import {repeatFailures} from "./repeat.ts"

/** `bun scripts/tests/repeat-failures.ts <folder>`: repeats the failures that the steps of a run left in a folder. */
const [folder] = process.argv.slice(2)
if (folder === undefined) {
  process.stderr.write("name the folder with the failures\n")
  process.exit(1)
}
process.exit(repeatFailures(folder) ? 0 : 1)
