import {Option} from "clipanion"
import {type AddedPlugin, addPlugin, readWanted} from "../../server/process/add-plugin.ts"
import {callOf} from "../../server/process/toolchain.ts"
import {exit} from "../../shared/exit.ts"
import {isHostRunning} from "../kit/host-client.ts"
import {needsRelease, releaseOf} from "../kit/release/package-release.ts"
import {rowCommand} from "../kit/rows.ts"

export const add = rowCommand({
  description: "install a plugin's package and add it to the configuration",
  details: `
      In development, this installs the exact version with the project's package manager, without install scripts, and adds the plugin to svc.config.yml. The package must name a range of svc-runtime that includes this svc; otherwise the command refuses it before it changes anything. If a step fails, it restores package.json, the lockfile and the configuration.

      If the Host runs in production, or the project has had a release, it changes nothing, prints the commands of a release, and exits 1.
    `,
  examples: [
    ["The newest version", "svc plugin add svc-plugin-dice"],
    ["A fixed version of a scoped package", "svc plugin add @team/svc-plugin-dice@1.2.0"],
  ],
  options: {package: Option.String({name: "package"})},
  run: async given => {
    const wanted = readWanted(given.package)
    if (await needsRelease(given.folder)) {
      const {name, version} = wanted
      const commands = releaseOf(`svc plugin add ${name}${version === "latest" ? "" : `@${version}`}`, name)
      given.tell("svc: changed nothing: in production, plugins are installed by a release")
      given.show({added: false, commands}, () => commands.join("\n"))
      return exit.failed
    }
    const added = await addPlugin(given.folder, wanted)
    const isRunning = await isHostRunning(given.folder)
    given.show({added: true, ...added}, () => describe(added, isRunning))
    return exit.ok
  },
})

const describe = (added: AddedPlugin, isRunning: boolean): string => {
  const {svc, run} = callOf(process.versions.bun === undefined ? "node" : "bun")
  return `installed ${added.package} ${added.version}, for svc-runtime ${added.range}
added ${added.plugin} to svc.config.yml${isRunning ? "; in development the running Host loads it at once" : ""}

  ${svc} config check   shows which settings it needs
${isRunning ? "" : `  ${run} dev   starts the Host with it\n`}`.trimEnd()
}
