import {isThere} from "../../../server/runtime/files.ts"
import {projectPaths} from "../../../server/runtime/project.ts"
import {connectUnlessStopped} from "../host-client.ts"

/** Resolves to whether only a release may install packages: the project has had one, or its Host runs in production. */
export const needsRelease = async (folder: string): Promise<boolean> => {
  if (await isThere(projectPaths(folder).releases)) return true
  const host = await connectUnlessStopped(folder)
  return (await host?.get("/api/system/status"))?.mode === "production"
}

/** Returns the commands of a release that installs the packages of `command`. */
export const releaseOf = (command: string, what: string): readonly string[] => [
  "# In a clone of the project, on your own machine:",
  command,
  "svc config check",
  `git add --all && git commit -m "Add ${what}" && git push`,
  "# Here:",
  "git fetch",
  "svc release prepare origin/main",
  "svc release begin",
  "svc release verify",
  "svc release install",
  "svc runtime restart",
  "svc release complete --accepted-by <name>",
]
