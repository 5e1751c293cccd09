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
  static override paths = [["adapter", "add"]]
  static override usage = Command.Usage({
    description: "install the packages that a built-in adapter needs",
    details: `
      In development: installs those that are missing, in the exact versions that svc is tested with, with the project's package manager and without install scripts. Whatever fails, package.json and lockfile are as before. Then shows the entry for svc.config.yml, and where the adapter's page is.

      Where the Host runs in production, or the project has had a release, it changes nothing, prints the commands of a release, and exits 1.
    `,
    examples: [["Before the first bot on Telegram", "svc adapter add telegram"]],
  })

  adapter = Option.String({name: "adapter"})

  async run(): Promise<ExitCode> {
    const missing = await missingPackages(this.folder, this.adapter)
    if (missing.length === 0) {
      this.show(
        {installed: []},
        () => `${this.adapter} has all that it needs\n\n${nextSteps(this.adapter, this.folder)}`,
      )
      return exit.ok
    }
    if (await needsRelease(this.folder)) {
      const commands = releaseOf(`svc adapter add ${this.adapter}`, `the packages of ${this.adapter}`)
      this.tell("svc: nothing was changed: in production packages come with a release")
      this.show({installed: [], commands}, () => commands.join("\n"))
      return exit.failed
    }
    this.tell(`svc: installing ${missing.join(", ")}`)
    await installPackages(this.folder, await toolchainOf(this.folder), missing)
    const isRunning = await isHostRunning(this.folder)
    this.show({installed: missing}, () =>
      [
        `installed ${missing.join(", ")}`,
        ...(isRunning ? ["  svc runtime reload   gives an endpoint that has failed another attempt"] : []),
        "",
        nextSteps(this.adapter, this.folder),
      ].join("\n"),
    )
    return exit.ok
  }
}

/** The built-in plugins that are no adapters. */
const parts: readonly string[] = ["workroom", "agents"]

/**
 * The packages of a built-in adapter that neither the project nor svc has, as `name@version`. Throws `request_invalid` for what is
 * no built-in adapter.
 */
const missingPackages = async (project: string, adapter: string): Promise<readonly string[]> => {
  const adapters = Object.keys(builtIns).filter(name => !parts.includes(name))
  if (adapters.includes(adapter)) return missingLibraries((await builtIns[adapter]?.())?.libraries ?? {}, project)
  throw new Problem("request_invalid", `there is no built-in adapter ${adapter}; there is ${adapters.join(", ")}`, {
    hint: "svc plugin add installs an adapter that is a package of its own.",
  })
}
