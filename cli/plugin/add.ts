import {readFile} from "node:fs/promises"
import {join} from "node:path"
import {Option} from "clipanion"
import {type AddedPlugin, addPlugins, readWanted} from "../../server/process/add-plugin.ts"
import {callOf, quoted} from "../../server/process/toolchain.ts"
import {isHostRunning} from "../kit/host-client.ts"
import {firstConfiguration} from "../kit/manual.ts"
import {needsRelease, releaseOf} from "../kit/release/package-release.ts"
import {rowCommand} from "../kit/rows.ts"

export const add = rowCommand({
  description: "install the packages of plugins and add them to the configuration",
  details: `
      A name is that of a ready plugin, which comes with svc, or of a package; a path is that of a tarball, and svc keeps a copy in vendor/. A tarball in vendor/ is used instead of the registry.

      In development, this installs the exact versions with the project's package manager, without install scripts, and adds the plugins to svc.config.yml. Each package must name a range of svc-runtime that includes this svc; otherwise the command refuses all before it changes anything. If a step fails, it restores package.json, the lockfile and the configuration.

      If the Host runs in production, or the project has had a release, it changes nothing, prints the commands of a release, and exits 1.
    `,
  examples: [
    ["A ready plugin", "svc plugin add welcome"],
    ["The newest version of a package", "svc plugin add svc-plugin-dice"],
    ["Two plugins", "svc plugin add svc-plugin-dice svc-plugin-poll"],
    ["A fixed version of a scoped package", "svc plugin add @team/svc-plugin-dice@1.2.0"],
    ["A tarball", "svc plugin add svc-plugin-dice-1.0.0.tgz"],
  ],
  options: {packages: Option.Rest({name: "package", required: 1})},
  run: async given => {
    const wanted = await Promise.all(given.packages.map(each => readWanted(given.folder, each)))
    if (await needsRelease(given.folder)) {
      const names = wanted.map(({name}) => name).join(" and ")
      const commands = releaseOf(`svc plugin add ${given.packages.map(quoted).join(" ")}`, names)
      given.tell("svc: changed nothing: in production, plugins are installed by a release")
      given.show({added: [], commands}, () => commands.join("\n"))
      return false
    }
    const added = await addPlugins(given.folder, wanted)
    const isRunning = await isHostRunning(given.folder)
    const samples = await Promise.all(added.map(({name}) => sampleOf(given.folder, name)))
    given.show({added}, () => describe(added, samples.join("\n"), isRunning))
    return true
  },
})

/** Resolves to the first configuration in the README of an installed package, under the plugin's own lines. */
const sampleOf = async (project: string, name: string): Promise<string> => {
  const page = await readFile(join(project, "node_modules", name, "README.md"), "utf8").catch(() => "")
  return firstConfiguration(page)
    .replace(/^plugins:\n/, "")
    .trimEnd()
}

const describe = (added: readonly AddedPlugin[], samples: string, isRunning: boolean): string => {
  const {svc, run} = callOf(process.versions.bun === undefined ? "node" : "bun")
  const installed = added.map(each => `installed ${each.name} ${each.version}, for svc-runtime ${each.range}`)
  return `${installed.join("\n")}
added ${[...new Set(added.flatMap(({plugin, needs}) => [plugin, ...needs]))].join(" and ")} to svc.config.yml${isRunning ? "; in development the running Host loads them once their settings are valid" : ""}
${samples.trim() === "" ? "" : `\nTheir pages have these settings, to replace with your own:\n\n${samples}\n`}
  ${svc} config check   shows which settings are missing
${isRunning ? "" : `  ${run} dev   starts the Host\n`}`.trimEnd()
}
