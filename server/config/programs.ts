import {toJson} from "../../shared/json.ts"
import {fieldsOf} from "../../shared/sdk/session/values.ts"
import {readYaml} from "./text/yaml.ts"

/** Returns the programs that a configuration starts, with their environment: agents' MCP servers. */
const programsIn = (text: string): string => {
  const agents = Object.entries(fieldsOf(fieldsOf(readYaml(text).value).agents))
  const entries = agents.flatMap(([agent, binding]) => {
    const {mcp} = fieldsOf(binding)
    return (Array.isArray(mcp) ? mcp : []).map(fieldsOf).map(({name, command, env}) => ({agent, name, command, env}))
  })
  return toJson(entries.filter(({command}) => command !== undefined))
}

/** Whether two texts start the same programs. A token of the API must not suffice to run a program on the machine. */
export const haveSamePrograms = (before: string, after: string): boolean => programsIn(before) === programsIn(after)
