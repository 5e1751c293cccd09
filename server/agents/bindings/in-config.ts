import {existsSync} from "node:fs"
import {resolve} from "node:path"
import type {ProjectConfig} from "../../../shared/config.ts"
import type {Binding} from "./binding.ts"

/** The bindings of a configuration. The instructions of a file are those of the file's name until a generation has read it. */
export const bindingsIn = (config: Pick<ProjectConfig, "agents">, project: string): ReadonlyMap<string, Binding> =>
  new Map(Object.entries(config.agents).map(([name, settings]) => [name, bindingOf(name, settings, project)]))

const bindingOf = (name: string, config: ProjectConfig["agents"][string], project: string): Binding => {
  const {instructions, instructionsFile} = config
  if (instructions !== undefined || instructionsFile === undefined) {
    return {name, config, instructions: instructions ?? "", fileProblem: undefined}
  }
  const isThere = existsSync(resolve(project, instructionsFile))
  return {
    name,
    config,
    instructions: isThere ? instructionsFile : "",
    fileProblem: isThere ? undefined : `There is no file ${instructionsFile}`,
  }
}
