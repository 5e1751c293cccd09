import {readFileSync} from "node:fs"
import {join, relative} from "node:path"
import {Option} from "clipanion"
import {builtIns} from "../../server/host/plugins/built-in-plugins.ts"
import {installPackages, toolchainOf} from "../../server/process/install-packages.ts"
import {packageRoot} from "../../server/runtime/own-files.ts"
import {missingLibraries} from "../../server/runtime/packages/libraries.ts"
import {Problem} from "../../shared/problems.ts"
import {isHostRunning} from "../kit/host-client.ts"
import {needsRelease, releaseOf} from "../kit/release/package-release.ts"
import {rowCommand} from "../kit/rows.ts"

export const add = rowCommand({
  description: "install the packages that built-in adapters need",
  details: `
      In development, this installs the missing packages in the exact versions that svc is tested with. It uses the project's package manager and runs no install scripts. If a step fails, it restores package.json and the lockfile. It then prints each entry for svc.config.yml and the address of the adapter's page.

      If the Host runs in production, or the project has had a release, it changes nothing, prints the commands of a release, and exits 1.
    `,
  examples: [["Prepare bots on Telegram and Discord", "svc adapter add telegram discord"]],
  options: {adapters: Option.Rest({name: "adapter", required: 1})},
  run: async given => {
    const names = [...new Set(given.adapters)]
    const missing = await missingPackages(given.folder, names)
    const isComplete = missing.length === 0
    if (!isComplete && (await needsRelease(given.folder))) {
      const commands = releaseOf(`svc adapter add ${names.join(" ")}`, `the packages of ${names.join(" and ")}`)
      given.tell("svc: changed nothing: in production, packages are installed by a release")
      given.show({installed: [], commands}, () => commands.join("\n"))
      return false
    }
    if (!isComplete) {
      given.tell(`svc: installing ${missing.join(", ")}`)
      await installPackages(given.folder, await toolchainOf(given.folder), missing)
    }
    const done = isComplete
      ? `all packages for ${names.join(" and ")} are installed`
      : `installed ${missing.join(", ")}`
    const reload = "\n  svc runtime reload   reconnects endpoints that have failed"
    const isRunning = !isComplete && (await isHostRunning(given.folder))
    given.show({installed: missing}, () =>
      [`${done}${isRunning ? reload : ""}`, ...names.map(name => nextSteps(name, given.folder))].join("\n\n"),
    )
    return true
  },
})

/**
 * Returns the packages of built-in adapters that neither the project nor svc has, as `name@version`. Throws `request_invalid`
 * if there is no built-in adapter of a name.
 */
const missingPackages = async (project: string, names: readonly string[]): Promise<readonly string[]> => {
  const adapters = Object.keys(builtIns).filter(name => name !== "workroom" && name !== "agents")
  const unknown = names.filter(name => !adapters.includes(name))
  if (unknown.length > 0)
    throw new Problem(
      "request_invalid",
      `there is no built-in adapter ${unknown.join(" or ")}; choose from ${adapters.join(", ")}`,
      {hint: "svc plugin add installs an adapter that comes as a separate package."},
    )
  const libraries = await Promise.all(names.map(async name => (await builtIns[name]?.())?.libraries ?? {}))
  return missingLibraries(Object.assign({}, ...libraries), project)
}

/** Returns the first configuration on a page, without the indentation of a list; empty if it has none. */
export const firstConfiguration = (page: string): string => {
  const [, indent = "", yaml = ""] = /^( *)```yaml\n(.*?)^ *```$/ms.exec(page) ?? []
  return yaml.replaceAll(new RegExp(`^${indent}`, "gm"), "")
}

/** Returns the steps after the packages are installed: the configuration entry, its secrets, and how to check the account. */
const nextSteps = (adapter: string, project: string): string => {
  const path = join(packageRoot, "docs/adapters", `${adapter}.md`)
  const page = readFileSync(path, "utf8")
  const entry = firstConfiguration(page)
  const secrets = new Set(Array.from(entry.matchAll(/\$\{(\w+)\}/g), ([, name]) => name))
  const [, id] = /- id: (\S+)/.exec(entry) ?? []
  const hasCheck = page.includes("svc adapter check")
  return [
    "Put this into svc.config.yml, with your own values:",
    "",
    ...entry
      .trimEnd()
      .split("\n")
      .map(line => `  ${line}`),
    "",
    ...(secrets.size === 0 ? [] : [`Put ${[...secrets].join(", ")} into .env.`]),
    ...(id === undefined || !hasCheck
      ? []
      : [`Start the Host, then run svc adapter check ${adapter}~${id}: it checks the account with the platform.`]),
    `For the steps on the platform, and for all keys, see ${relative(project, path)}`,
  ].join("\n")
}
