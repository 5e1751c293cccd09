import {join} from "node:path"
import manifest from "../../package.json" with {type: "json"}
import {readJsonIfExists} from "./files.ts"

export const version: string = manifest.version

/** Returns the version of svc that is installed in a project; undefined if none is. */
export const installedVersion = async (project: string): Promise<string | undefined> => {
  const found = await readJsonIfExists(join(project, "node_modules/svc-runtime/package.json"))
  const own = typeof found === "object" && found !== null && "version" in found ? found.version : undefined
  return typeof own === "string" ? own : undefined
}
