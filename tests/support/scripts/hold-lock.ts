import {hostname} from "node:os"
import {setTimeout as sleep} from "node:timers/promises"
import {acquireLock} from "../../../server/runtime/lock.ts"
import {projectPaths} from "../../../server/runtime/project.ts"

/** Holds a project's lock as a command does: `hold-lock.ts <project> <milliseconds>`. Says `held`, then `released`. */
const [project = "", milliseconds = "0"] = process.argv.slice(2)
const lock = await acquireLock(projectPaths(project), {
  kind: "command",
  hostname: hostname(),
  pid: process.pid,
  runtimeId: "none",
  command: "svc hold-lock",
  since: new Date().toISOString(),
})
process.stdout.write("held\n")
await sleep(Number(milliseconds))
process.stdout.write("released\n")
await lock.release()
process.exit(0)
