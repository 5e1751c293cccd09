import {Command, Option} from "clipanion"
import {builtIns} from "../../server/host/generations/built-in-plugins.ts"
import {installPackages, toolchainOf} from "../../server/process/install-packages.ts"
import {missingLibraries} from "../../server/runtime/packages/libraries.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {Problem} from "../../shared/problems.ts"
import {nextSteps} from "../kit/adapter-entry.ts"
import {isHostRunning} from "../kit/host-client.ts"
import {needsRelease, releaseOf} from "../kit/release/package-release.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class AdapterAdd extends DataCommand {
  static override usage = Command.Usage({
    description: "install the packages that a built-in adapter needs",
    details: `
      In development, this installs the missing packages in the exact versions that svc is tested with. It uses the project's package manager and runs no install scripts. If a step fails, it restores package.json and the lockfile. It then prints the entry for svc.config.yml and the address of the adapter's page.

      If the Host runs in production, or the project has had a release, it changes nothing, prints the commands of a release, and exits 1.
    `,
    examples: [["Prepare the first bot on Telegram", "svc adapter add telegram"]],
  })

  adapter = Option.String({name: "adapter"})

  async run(): Promise<ExitCode> {
    const missing = await missingPackages(this.folder, this.adapter)
    if (missing.length === 0) {
      this.show(
        {installed: []},
        () => `all packages for ${this.adapter} are installed\n\n${nextSteps(this.adapter, this.folder)}`,
      )
      return exit.ok
    }
    if (await needsRelease(this.folder)) {
      const commands = releaseOf(`svc adapter add ${this.adapter}`, `the packages of ${this.adapter}`)
      this.tell("svc: changed nothing: in production, packages are installed by a release")
      this.show({installed: [], commands}, () => commands.join("\n"))
      return exit.failed
    }
    this.tell(`svc: installing ${missing.join(", ")}`)
    await installPackages(this.folder, await toolchainOf(this.folder), missing)
    const isRunning = await isHostRunning(this.folder)
    this.show({installed: missing}, () =>
      [
        `installed ${missing.join(", ")}`,
        ...(isRunning ? ["  svc runtime reload   reconnects endpoints that have failed"] : []),
        "",
        nextSteps(this.adapter, this.folder),
      ].join("\n"),
    )
    return exit.ok
  }
}

/** The built-in plugins that are not adapters. */
const parts: readonly string[] = ["workroom", "agents"]

/**
 * Returns the packages of a built-in adapter that neither the project nor svc has, as `name@version`. Throws `request_invalid`
 * if there is no built-in adapter of that name.
 */
const missingPackages = async (project: string, adapter: string): Promise<readonly string[]> => {
  const adapters = Object.keys(builtIns).filter(name => !parts.includes(name))
  if (adapters.includes(adapter)) return missingLibraries((await builtIns[adapter]?.())?.libraries ?? {}, project)
  throw new Problem("request_invalid", `there is no built-in adapter ${adapter}; choose from ${adapters.join(", ")}`, {
    hint: "svc plugin add installs an adapter that comes as a separate package.",
  })
}
