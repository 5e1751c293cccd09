import {existsSync} from "node:fs"
import {createRequire} from "node:module"
import {dirname, join} from "node:path"
import {pathToFileURL} from "node:url"
import manifest from "../../../package.json" with {type: "json"}
import {type AgentProvider, agentProviders} from "../../../shared/agents/config.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import {packageRoot} from "../../runtime/own-files.ts"

/** Is this one of the providers that svc knows? */
export const isAgentProvider = (name: string): name is AgentProvider => Object.hasOwn(agentProviders, name)

/** The folders in which a provider's package was found, by project and provider. What is not there is looked for again. */
const found = new Map<string, string>()

/** Is the provider's package there, for this project or for svc itself? It is not loaded, and nothing of it is run. */
export const isProviderInstalled = (provider: AgentProvider, project: string, own = packageRoot): boolean =>
  folderWith(provider, project, own) !== undefined

/**
 * Loads the provider's package, that of the project before svc's own. Throws `agent_misconfigured`, with the command that installs it,
 * where it is missing, or does not load.
 */
export const loadProvider = async (provider: AgentProvider, project: string, own = packageRoot): Promise<object> => {
  const name = agentProviders[provider]
  const folder = folderWith(provider, project, own)
  if (folder === undefined)
    throw new Problem("agent_misconfigured", `the package ${name} is not installed: run ${installCommand(provider)}`)
  try {
    return await import(pathToFileURL(createRequire(join(folder, "package.json")).resolve(name)).href)
  } catch (cause) {
    const why = messageOf(cause).split("\n", 1)[0]
    const problem = `the package ${name} in ${folder} does not load: ${why}. Run ${installCommand(provider)}`
    throw new Problem("agent_misconfigured", problem, {cause})
  }
}

/** Installs the version that svc is tested with. npm and Bun bring zod, which it needs, by themselves. */
export const installCommand = (provider: AgentProvider): string => {
  const install = process.versions.bun === undefined ? "npm install --save-exact" : "bun add --exact"
  const name = agentProviders[provider]
  return `${install} ${name}@${manifest.devDependencies[name]}`
}

const folderWith = (provider: AgentProvider, project: string, own: string): string | undefined => {
  const key = [provider, project, own].join("\n")
  const folder = found.get(key) ?? [project, own].map(from => searchFrom(from, provider)).find(Boolean)
  if (folder !== undefined) found.set(key, folder)
  return folder
}

/** As both runtimes search: `node_modules` of the folder, and of those that it is in. */
const searchFrom = (folder: string, provider: AgentProvider): string | undefined => {
  if (existsSync(join(folder, "node_modules", agentProviders[provider], "package.json"))) return folder
  const parent = dirname(folder)
  return parent === folder ? undefined : searchFrom(parent, provider)
}
