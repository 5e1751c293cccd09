import manifest from "../../../package.json" with {type: "json"}
import {type AgentProvider, type AgentSettings, agentProviders} from "../../../shared/config/agents.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import {packageRoot} from "../../runtime/own-files.ts"
import {findPackage, importPackage, installCommandOf} from "../../runtime/packages/find.ts"

export const isAgentProvider = (name: string): name is AgentProvider => Object.hasOwn(agentProviders, name)

/** Your own servers, such as Ollama, usually accept any caller, but the providers' own addresses need a key. */
export const needsKey = ({provider, baseURL}: Pick<AgentSettings, "provider" | "baseURL">): boolean =>
  provider !== "openai-compatible" || baseURL === undefined

export type OptionalPackage = (typeof agentProviders)[AgentProvider] | "@ai-sdk/mcp"

/** Whether a package is installed, for this project or for svc itself. Does not load or run it. */
export const isInstalled = (name: OptionalPackage, project: string, own = packageRoot): boolean =>
  findPackage(name, [project, own]) !== undefined

/**
 * Loads a package; the project's takes precedence over svc's own. Throws `agent_misconfigured`, with the command that
 * installs it, if it is missing or does not load.
 */
export const loadPackage = async (name: OptionalPackage, project: string, own = packageRoot): Promise<object> => {
  const folder = findPackage(name, [project, own])
  if (folder === undefined)
    throw new Problem("agent_misconfigured", `the package ${name} is not installed: run ${installCommand(name)}`)
  try {
    return await importPackage(name, folder)
  } catch (cause) {
    const why = messageOf(cause).split("\n", 1)[0]
    const problem = `the package ${name} in ${folder} does not load: ${why}. Run ${installCommand(name)}`
    throw new Problem("agent_misconfigured", problem, {cause})
  }
}

/** Returns the command that installs the version that svc is tested with. npm and Bun also install its peer zod. */
export const installCommand = (name: OptionalPackage): string =>
  installCommandOf(`${name}@${manifest.devDependencies[name]}`)
