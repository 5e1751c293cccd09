import {setTimeout as sleep} from "node:timers/promises"
import {withLock} from "../../../server/runtime/lock.ts"
import {projectPaths} from "../../../server/runtime/project.ts"

/** Holds a project's lock like a command: `hold-lock.ts <project> <milliseconds>`. Prints `held`, then `released`. */
const [project = "", milliseconds = "0"] = process.argv.slice(2)
await withLock(projectPaths(project), "svc hold-lock", async () => {
  process.stdout.write("held\n")
  await sleep(Number(milliseconds))
  process.stdout.write("released\n")
})
process.exit(0)
