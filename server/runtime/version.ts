import {join} from "node:path"
import manifest from "../../package.json" with {type: "json"}
import {fieldsOf} from "../../shared/sdk/session/values.ts"
import {readJsonIfExists} from "./files.ts"

export const version: string = manifest.version

/** Returns the version of svc that is installed in a project; undefined if none is. */
export const installedVersion = async (project: string): Promise<string | undefined> => {
  const found = fieldsOf(await readJsonIfExists(join(project, "node_modules/svc-runtime/package.json")))
  return typeof found.version === "string" ? found.version : undefined
}
