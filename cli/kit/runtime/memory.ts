import {readConfigText} from "../../../server/config/load.ts"
import type {HostOptions} from "../../../server/host/open/host.ts"
import {readPlaces} from "../../../server/host/open/open.ts"
import {projectPaths} from "../../../server/runtime/project.ts"

/** Returns `runtime.memory` of a project; `small` too for a configuration whose errors the start will report. */
export const configuredMemory = async (options: HostOptions): Promise<"small" | "fast"> => {
  const {text} = await readConfigText(projectPaths(options.project).config).catch(() => ({text: ""}))
  // Most have none, and reading a configuration takes longer.
  if (!text.includes("memory")) return "small"
  return (await readPlaces(options).catch(() => undefined))?.boot.config.runtime.memory ?? "small"
}
