import {readFileSync} from "node:fs"
import {join, relative} from "node:path"
import {Option} from "clipanion"
import {readYaml} from "../../server/config/text/yaml.ts"
import {builtIns} from "../../server/host/plugins/built-in-plugins.ts"
import {installPackages, toolchainOf} from "../../server/process/install-packages.ts"
import {addEntries} from "../../server/process/new-plugin.ts"
import {packageRoot} from "../../server/runtime/own-files.ts"
import {missingLibraries} from "../../server/runtime/packages/libraries.ts"
import {projectPaths} from "../../server/runtime/project.ts"
import {Problem} from "../../shared/problems.ts"
import {fieldsOf} from "../../shared/sdk/session/values.ts"
import {isHostRunning} from "../kit/host-client.ts"
import {firstConfiguration} from "../kit/manual.ts"
import {needsRelease, releaseOf} from "../kit/release/package-release.ts"
import {rowCommand} from "../kit/rows.ts"

export const add = rowCommand({
  description: "install the packages of built-in adapters and add them to the configuration",
  details: `
      In development, this installs the missing packages in the exact versions that svc is tested with. It uses the project's package manager and runs no install scripts. If a step fails, it restores package.json and the lockfile. It then adds the entry of each adapter's page to svc.config.yml, disabled, with the names of variables for secrets. If the file already uses the adapter or cannot be edited, it prints the entry instead.

      If the Host runs in production, or the project has had a release, it changes nothing. If packages are missing, it then prints the commands of a release, and exits 1.
    `,
  examples: [["Prepare bots on Telegram and Discord", "svc adapter add telegram discord"]],
  options: {
    adapters: Option.Rest({name: "adapter", required: 1}),
    entry: Option.Boolean("--entry", true, {description: "Add the entries; --no-entry prints them"}),
  },
  run: async given => {
    const names = [...new Set(given.adapters)]
    const missing = await missingPackages(given.folder, names)
    const isComplete = missing.length === 0
    // If the Host does not say how it runs, the entries are only printed.
    const isFixed = await needsRelease(given.folder).catch(error => isComplete || Promise.reject(error))
    if (!isComplete && isFixed) {
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
    const pages = names.map(readAdapterPage)
    const added = isFixed || !given.entry ? [] : await addEntries(projectPaths(given.folder).config, pages)
    const reload = "\n  svc runtime reload   reconnects endpoints that have failed"
    const isRunning = !isComplete && (await isHostRunning(given.folder))
    given.show({installed: missing, added}, () =>
      [
        `${done}${isRunning ? reload : ""}`,
        ...pages.map(page => nextSteps(page, given.folder, added.includes(page.name))),
      ].join("\n\n"),
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

type AdapterPage = ReturnType<typeof readAdapterPage>

const readAdapterPage = (name: string) => {
  const path = join(packageRoot, "docs/adapters", `${name}.md`)
  const text = readFileSync(path, "utf8")
  const yaml = firstConfiguration(text)
  const plugins = fieldsOf(fieldsOf(readYaml(yaml).value).plugins)
  // Its values are those of the page, so a Host must not use it yet.
  return {name, path, text, yaml, entry: {enabled: false, ...fieldsOf(plugins[name])}}
}

/** Returns the steps after the packages are installed: the configuration entry, its secrets, and how to check the account. */
const nextSteps = ({name, path, text, yaml}: AdapterPage, project: string, isAdded: boolean): string => {
  const secrets = new Set(Array.from(yaml.matchAll(/\$\{(\w+)\}/g), ([, variable]) => variable))
  const [, id] = /- id: (\S+)/.exec(yaml) ?? []
  const hasCheck = text.includes("svc adapter check")
  return [
    isAdded
      ? `added ${name} to svc.config.yml, disabled: replace the values with your own, then remove enabled: false`
      : `Put this into svc.config.yml, with your own values:\n\n${yaml.replaceAll(/^(?=.)/gm, "  ")}`,
    ...(secrets.size === 0 ? [] : [`Put ${[...secrets].join(", ")} into .env.`]),
    ...(id === undefined || !hasCheck
      ? []
      : [`With the Host running, svc adapter check ${name}~${id} checks the account with the platform.`]),
    `For the steps on the platform, and for all keys, see ${relative(project, path)}`,
  ].join("\n")
}
