import {isThere} from "../../../server/runtime/files.ts"
import {projectPaths} from "../../../server/runtime/project.ts"
import type {Status} from "../../../shared/api/system.ts"
import type {Static} from "../../../shared/type.ts"
import {connectHost, isHostRunning} from "../host-client.ts"

/** Does a package come to this project with a release only: because it has had one, or because its Host runs in production? */
export const needsRelease = async (folder: string): Promise<boolean> => {
  if (await isThere(projectPaths(folder).releases)) return true
  if (!(await isHostRunning(folder))) return false
  const host = await connectHost(folder)
  return (await host.get<Static<typeof Status>>("/api/system/status")).mode === "production"
}

/** The commands of a release that brings what `command` installs, for a terminal. */
export const releaseOf = (command: string, what: string): readonly string[] => [
  "# In a clone of the project, on your own machine:",
  command,
  "svc config check",
  `git add --all && git commit -m "Add ${what}" && git push`,
  "# Here:",
  "svc release begin",
  "git fetch",
  "svc release verify origin/main",
  "svc release install",
  "svc runtime restart",
  "svc release complete --accepted-by <name>",
]
